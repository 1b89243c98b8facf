/* SPDX-License-Identifier: MIT */
/* Call trees. */
#include "traces.h"

struct fixture {
	struct gsym_xray_tree *tree;
	struct gsym_xray_stack *stack;
};

static struct fixture start(uint32_t limit)
{
	struct fixture f = { .tree = gsym_xray_tree_new(limit) };

	f.stack = gsym_xray_stack_new(gsym_xray_tree_enter,
				      gsym_xray_tree_leave, f.tree);
	cr_assert(f.tree && f.stack);
	return f;
}

static void finish(struct fixture *f)
{
	gsym_xray_stack_free(f->stack);
	gsym_xray_tree_free(f->tree);
}

static void event(struct fixture *f, enum gsym_xray_event_kind kind,
		  uint32_t function, uint64_t tsc)
{
	struct gsym_xray_event e = { .kind = kind, .function = function,
				     .tsc = tsc };

	cr_assert(gsym_xray_stack_event(f->stack, &e) == GSYM_OK);
}

/* Print NODE and its siblings in their order: "function:calls,total,self", then
 * "~inferred!unfinished+merged" if any of these is not 0, then the callees in
 * parentheses. */
static void describe(const struct gsym_xray_tree *tree, uint32_t node,
		     FILE *to)
{
	while (node) {
		struct gsym_xray_node n;

		cr_assert(gsym_xray_tree_node(tree, node, &n) == GSYM_OK);
		cr_expect(n.caller < node);
		fprintf(to, "%u:%" PRIu64 ",%" PRIu64 ",%" PRIu64, n.function,
			n.calls, n.total, n.self);
		if (n.inferred | n.unfinished | n.merged)
			fprintf(to, "~%" PRIu64 "!%" PRIu64 "+%" PRIu64,
				n.inferred, n.unfinished, n.merged);
		fprintf(to, "(");
		describe(tree, n.callee, to);
		fprintf(to, ")%s", n.sibling ? " " : "");
		node = n.sibling;
	}
}

static void expect_tree(struct fixture *f, const char *wanted)
{
	struct gsym_xray_node root;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	cr_assert(gsym_xray_tree_sort(f->tree) == GSYM_OK);
	cr_assert(gsym_xray_tree_node(f->tree, 0, &root) == GSYM_OK);
	describe(f->tree, root.callee, to);
	fclose(to);
	cr_expect_str_eq(text, wanted, "%s", text);
	free(text);
}

#define ENTER GSYM_XRAY_ENTER
#define EXIT GSYM_XRAY_EXIT

/* From the time AT on function 1 calls 2 twice and 3 once; 3 calls 2. */
static void run(struct fixture *f, uint64_t at)
{
	event(f, ENTER, 1, at);
	event(f, ENTER, 2, at + 1);
	event(f, EXIT, 2, at + 4);
	event(f, ENTER, 3, at + 5);
	event(f, ENTER, 2, at + 6);
	event(f, EXIT, 2, at + 20);
	event(f, EXIT, 3, at + 30);
	event(f, ENTER, 2, at + 30);
	event(f, EXIT, 2, at + 31);
	event(f, EXIT, 1, at + 32);
	cr_assert(gsym_xray_stack_end(f->stack) == GSYM_OK);
}

Test(tree, equal_stacks_are_one_node)
{
	struct fixture f = start(0);
	struct gsym_xray_node node;

	run(&f, 100);
	run(&f, 200);
	expect_tree(&f, "1:2,64,6(3:2,50,22(2:2,28,28()) 2:4,8,8())");
	/* Sorting again changes nothing. */
	expect_tree(&f, "1:2,64,6(3:2,50,22(2:2,28,28()) 2:4,8,8())");
	cr_expect(gsym_xray_tree_count(f.tree) == 5);
	cr_expect(gsym_xray_tree_node(f.tree, 5, &node) == GSYM_NOT_FOUND);
	finish(&f);
}

Test(tree, threads_have_roots)
{
	struct fixture f = start(0);

	cr_assert(gsym_xray_tree_root(f.tree, 70));
	run(&f, 0);
	cr_assert(gsym_xray_tree_root(f.tree, 71));
	event(&f, ENTER, 2, 0);
	event(&f, EXIT, 2, 90);
	cr_assert(gsym_xray_tree_root(f.tree, 70));
	event(&f, ENTER, 2, 0);
	event(&f, EXIT, 2, 1);
	expect_tree(&f, "71:1,90,0(2:1,90,90()) "
			"70:2,33,0(1:1,32,3(3:1,25,11(2:1,14,14()) "
			"2:2,4,4()) 2:1,1,1())");
	finish(&f);
}

Test(tree, repairs_are_counted_in_their_nodes)
{
	struct fixture f = start(0);

	event(&f, ENTER, 1, 0);
	event(&f, ENTER, 2, 1);
	event(&f, EXIT, 1, 3);
	event(&f, ENTER, 3, 4);
	event(&f, ENTER, 1, 8);
	cr_assert(gsym_xray_stack_end(f.stack) == GSYM_OK);
	expect_tree(&f, "3:1,4,4~0!1+0(1:1,0,0~0!1+0()) "
			"1:1,3,1(2:1,2,2~1!0+0())");
	finish(&f);
}

Test(tree, calls_beyond_the_limit_count_for_their_caller)
{
	struct fixture f = start(2);

	run(&f, 0);
	/* The times of function 3 and its callee are added to function 1. */
	expect_tree(&f, "1:1,32,28~0!0+2(2:2,4,4())");
	cr_expect(gsym_xray_tree_count(f.tree) == 3);
	finish(&f);
	f = start(1);
	cr_assert(gsym_xray_tree_root(f.tree, 5));
	run(&f, 0);
	expect_tree(&f, "5:1,32,32~0!0+5()");
	finish(&f);
}

/* Every node is found again after the hash table has grown. */
Test(tree, many_nodes)
{
	struct fixture f = start(0);

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			event(&f, ENTER, 1 + i % 71, 0);
			event(&f, ENTER, 1 + i, 0);
			event(&f, EXIT, 1 + i, 1);
			event(&f, EXIT, 1 + i % 71, 1);
		}
	cr_expect(gsym_xray_tree_count(f.tree) == 1 + 71 + 5000);
	finish(&f);
}

Test(tree, threads_add_up)
{
	struct fixture f = start(0), whole = start(3);

	cr_assert(gsym_xray_tree_root(f.tree, 70));
	run(&f, 0);
	cr_assert(gsym_xray_tree_root(f.tree, 71));
	run(&f, 100);
	event(&f, ENTER, 9, 200);
	cr_assert(gsym_xray_stack_end(f.stack) == GSYM_OK);
	cr_assert(gsym_xray_tree_root(f.tree, 70));
	event(&f, ENTER, 9, 300);
	event(&f, EXIT, 9, 301);
	/* The roots are nodes 1 and 6. */
	cr_assert(gsym_xray_tree_add(whole.tree, f.tree, 1));
	expect_tree(&whole, "1:1,32,3(3:1,25,11(2:1,14,14()) 2:2,4,4()) "
			    "9:1,1,1()");
	cr_assert(gsym_xray_tree_add(whole.tree, f.tree, 6));
	expect_tree(&whole, "1:2,64,6(3:2,50,22(2:2,28,28()) 2:4,8,8()) "
			    "9:2,1,1~0!1+0()");
	finish(&whole);
	finish(&f);
}
