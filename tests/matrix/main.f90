! SPDX-License-Identifier: MIT
! Modules, contained procedures and a call that is inlined.
module shapes
  implicit none
  type :: square
    real :: side
  contains
    procedure :: area => square_area
  end type square
contains
  pure real function square_area(this)
    class(square), intent(in) :: this
    square_area = this%side * this%side
  end function square_area

  recursive integer function fib(n) result(value)
    integer, intent(in) :: n
    if (n < 2) then
      value = n
    else
      value = fib(n - 1) + fib(n - 2)
    end if
  end function fib
end module shapes

program main
  use shapes
  implicit none
  type(square) :: s
  real, allocatable :: values(:)
  integer :: i

  s%side = 3.0
  allocate(values(16))
  do i = 1, size(values)
    values(i) = s%area() + real(i)
  end do
  call show(sum(values), fib(10))
contains
  subroutine show(total, number)
    real, intent(in) :: total
    integer, intent(in) :: number
    if (total < 0.0 .or. number < 0) stop 1
    print *, total, number
  end subroutine show
end program main
