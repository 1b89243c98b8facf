# 1 "main.c"
int a(int x){ return x + 1; }
# 10 "include\\a.h"
int b(int x){ return x + 2; }
# 20 "..\\lib\\b.c"
int c(int x){ return x + 3; }
# 30 "C:\\other\\c.c"
int d(int x){ return x + 4; }
# 40 "C:/x/d.c"
int e(int x){ return x + 5; }
# 50 "\\\\server\\share\\e.c"
int f(int x){ return x + 6; }
# 60 "/posix/f.c"
int g(int x){ return x + 7; }
# 70 "sub/g.c"
int h(int x){ return x + 8; }
# 80 "\\rooted\\h.c"
int i(int x){ return x + 9; }
# 90 "D:rel.c"
int j(int x){ return x + 10; }
