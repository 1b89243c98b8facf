# SPDX-License-Identifier: MIT
# Symbols of every executable and shared library, without a change of the project:
#
#   cmake -DCMAKE_PROJECT_INCLUDE=/usr/lib/cmake/gsym/gsym-every-target.cmake ...
#
# PROGRAM.gsym is made beside each PROGRAM when it is linked, for the languages
# that the projects name, with generators of make and Ninja.  gsym_OPTIONS has
# other options of gsym-create, such as "--require=debug-info;--install=/srv/gsym",
# and gsym_CREATE names another gsym-create.
if(NOT COMMAND gsym_add_symbols)
  include("${CMAKE_CURRENT_LIST_DIR}/gsym-config.cmake")
endif()
if(NOT gsym_CREATE)
  if(NOT TARGET gsym::gsym-create)
    message(FATAL_ERROR "gsym-every-target: gsym-create was not found")
  endif()
  get_target_property(gsym_CREATE gsym::gsym-create IMPORTED_LOCATION)
endif()

# Projects may lie in each other: a rule gets the command once.
if(NOT _gsym_every_command)
  set(_gsym_every_command "\"${gsym_CREATE}\" --quiet")
  if(NOT CMAKE_SOURCE_DIR MATCHES "=")
    string(APPEND _gsym_every_command
      " \"--path-prefix-map=${CMAKE_SOURCE_DIR}/=\"")
  endif()
  string(APPEND _gsym_every_command " --path-prefix-map=auto")
  foreach(_gsym_option ${gsym_OPTIONS})
    string(APPEND _gsym_every_command " \"${_gsym_option}\"")
  endforeach()
endif()
get_property(_gsym_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
foreach(_gsym_language ${_gsym_languages})
  foreach(_gsym_rule LINK_EXECUTABLE CREATE_SHARED_LIBRARY CREATE_SHARED_MODULE)
    set(_gsym_rule CMAKE_${_gsym_language}_${_gsym_rule})
    if(${_gsym_rule} AND NOT "${${_gsym_rule}}" MATCHES "path-prefix-map=auto")
      set(${_gsym_rule} "${${_gsym_rule}}" "${_gsym_every_command} <TARGET>")
    endif()
  endforeach()
endforeach()
