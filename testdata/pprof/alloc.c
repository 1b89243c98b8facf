#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static void *kept[4096];
static volatile double sink;
__attribute__((noinline)) static void *small(int i) { char *p = malloc(100 + i % 7); p[0] = 1; return p; }
__attribute__((noinline)) static void *large(int i) { char *p = malloc(70000 + i); p[0] = 1; return p; }
__attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) sink += i * 1.5; }
__attribute__((noinline)) void work(void)
{
	for (int i = 0; i < 4096; i++) {
		kept[i] = i % 16 ? small(i) : large(i);
		if (i % 3 == 0) { free(kept[i]); kept[i] = NULL; }
		spin(20000);
	}
}
int main(void) { work(); printf("%p\n", kept[1]); }
