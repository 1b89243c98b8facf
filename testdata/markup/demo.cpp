/* SPDX-License-Identifier: MIT */
/* A program that logs where it is in markup, as a runtime library would: what
 * is loaded where, a backtrace from within inlined functions, and variables.
 * It calls libshape.so (shape.cpp). */
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

extern int shape_count;
int table[64] = {1};

typedef void (*hook)(const char *, void *, void *);
extern "C" int shape_entry(int x, hook h);

static void print_build_id(const dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) &p = info->dlpi_phdr[i];
		if (p.p_type != PT_NOTE)
			continue;
		const char *at = (const char *)info->dlpi_addr + p.p_vaddr;
		const char *end = at + p.p_memsz;
		while (end - at > (long)sizeof(ElfW(Nhdr))) {
			ElfW(Nhdr) n;
			memcpy(&n, at, sizeof(n));
			const unsigned char *id =
				(const unsigned char *)at + sizeof(n) +
				((n.n_namesz + 3) & ~3u);
			if (n.n_type == NT_GNU_BUILD_ID) {
				for (unsigned j = 0; j < n.n_descsz; j++)
					printf("%02x", id[j]);
				return;
			}
			at = (const char *)id + ((n.n_descsz + 3) & ~3u);
		}
	}
	/* A module has to have one. */
	printf("00");
}

static int print_module(dl_phdr_info *info, size_t, void *context)
{
	const unsigned long page = 4096;
	int &id = *(int *)context;
	const char *name = strrchr(info->dlpi_name, '/');
	printf("{{{module:%d:%s:elf:", id, name ? name + 1 : "demo");
	print_build_id(info);
	printf("}}}\n");
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) &p = info->dlpi_phdr[i];
		if (p.p_type != PT_LOAD)
			continue;
		unsigned long first = p.p_vaddr & ~(page - 1);
		unsigned long end =
			(p.p_vaddr + p.p_memsz + page - 1) & ~(page - 1);
		printf("{{{mmap:0x%lx:0x%lx:load:%d:%s%s%s:0x%lx}}}\n",
		       info->dlpi_addr + first, end - first, id,
		       p.p_flags & PF_R ? "r" : "", p.p_flags & PF_W ? "w" : "",
		       p.p_flags & PF_X ? "x" : "", first);
	}
	id++;
	return 0;
}

static void show(const char *where, void *variable, void *caller)
{
	void *frames[32];
	int id = 0;
	printf("{{{reset}}}\n");
	dl_iterate_phdr(print_module, &id);
	printf("starting\nin %s, called from {{{pc:%p:ra}}}\n", where, caller);
	int count = backtrace(frames, 32);
	/* The first frame is this function itself. */
	for (int i = 1; i < count; i++)
		printf("{{{bt:%d:%p:ra}}}\n", i - 1, frames[i]);
	printf("bias {{{data:%p}}} table {{{data:%p}}} table+20 {{{data:%p}}} "
	       "count {{{data:%p}}}\n", variable, (void *)table,
	       (void *)(table + 5), (void *)&shape_count);
	printf("code as data {{{data:%p}}}, data as code {{{pc:%p}}}, stack "
	       "{{{data:%p}}}\n", (void *)shape_entry, (void *)table,
	       (void *)frames);
}

int main()
{
	return shape_entry(2, show) == 0;
}
