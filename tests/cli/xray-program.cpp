// SPDX-License-Identifier: MIT
//
// A program that traces itself and counts its own calls:
//
//	xray-program MODE CONFIG STORY
//
// It prints the counts that the trace should have: "calls NAME N" for each
// function, "thread ID NAME N", "tail N" and "inferred N" for the whole program,
// "custom N BYTES" and "typed N BYTES".  With MODE "env" XRAY_OPTIONS sets mode
// and configuration.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

// The runtime's own headers are not installed everywhere.
extern "C" {
uint16_t __xray_register_event_type(const char *);
int __xray_log_select_mode(const char *);
int __xray_log_init_mode(const char *, const char *);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);
int __xray_patch(void);
}

#define TRACED extern "C" __attribute__((xray_always_instrument, noinline))
#define QUIET __attribute__((xray_never_instrument, noinline))

enum Function { FIB, WORK, HOPHOP, HOP, LEAF, CATCHER, MIDDLE, THROWER,
		NUMBERED, SLOW, QUICK, MARK, TYPED, OUTSIDE, INSIDE, FUNCTIONS };
static const char *const names[FUNCTIONS] = {
	"fib", "work", "hophop", "hop", "leaf", "catcher", "middle", "thrower",
	"numbered", "slow", "quick", "mark", "typed", "outside", "inside",
};
static std::atomic<unsigned long> counts[FUNCTIONS];
static std::atomic<unsigned long> tails, inferred;
static volatile unsigned long sink;

TRACED unsigned long fib(unsigned n)
{
	counts[FIB]++;
	if (n < 2)
		return n;
	// The stores keep the compiler from turning the calls into a loop.
	unsigned long a = fib(n - 1);
	sink = a;
	unsigned long b = fib(n - 2);
	sink = b;
	return a + b;
}

TRACED unsigned long work(unsigned n)
{
	counts[WORK]++;
	return fib(n) + fib(n + 1);
}

TRACED unsigned long leaf(unsigned n)
{
	counts[LEAF]++;
	sink = sink + n;
	return n;
}

TRACED unsigned long hop(unsigned n)
{
	counts[HOP]++;
	tails++;
	[[clang::musttail]] return leaf(n);
}

TRACED unsigned long hophop(unsigned n)
{
	counts[HOPHOP]++;
	tails++;
	[[clang::musttail]] return hop(n);
}

TRACED void thrower(unsigned n)
{
	counts[THROWER]++;
	inferred++;
	throw n;
}

TRACED void middle(unsigned n)
{
	counts[MIDDLE]++;
	inferred++;
	thrower(n);
	sink = n;
}

TRACED unsigned catcher(unsigned n)
{
	counts[CATCHER]++;
	try {
		middle(n);
	} catch (unsigned caught) {
		return caught;
	}
	return 0;
}

TRACED __attribute__((xray_log_args(1))) void numbered(unsigned long n)
{
	counts[NUMBERED]++;
	sink = sink + n;
}

TRACED void slow(void)
{
	timespec time = { 0, 3000000 };
	counts[SLOW]++;
	nanosleep(&time, nullptr);
}

TRACED void quick(void)
{
	counts[QUICK]++;
}

// Older compilers fail on the sleds of events.
#if __clang_major__ >= 16
#define EVENTS
#endif

#ifdef EVENTS
// Not optimised: the sleds of events neither align the stack nor preserve the
// argument registers.
TRACED __attribute__((optnone)) void mark(char *bytes, size_t size)
{
	counts[MARK]++;
	__xray_customevent(bytes, size);
}

TRACED __attribute__((optnone)) void typed(unsigned short type,
					   const char *bytes, size_t size)
{
	counts[TYPED]++;
	__xray_typedevent(type, bytes, size);
}
#endif

#ifdef WITH_LIBRARY
extern "C" unsigned long lib_outer(unsigned long);
extern "C" unsigned long lib_calls[2];
#endif

// Every thread does another amount of work, and prints its counts.
struct Thread {
	pthread_t handle;
	unsigned number;
	long id;
	unsigned long fibs;
};

QUIET static void *run(void *context)
{
	Thread *thread = static_cast<Thread *>(context);
	unsigned long a = 1, b = 1;

	thread->id = syscall(SYS_gettid);
	work(thread->number + 4);
	/* Calls of fib(n): 2 * F(n + 1) - 1. */
	for (unsigned i = 0; i < thread->number + 4; i++) {
		unsigned long c = a + b;
		a = b;
		b = c;
	}
	thread->fibs = 2 * a - 1 + 2 * b - 1;
	return nullptr;
}

QUIET static void threads(void)
{
	Thread all[5];

	for (unsigned i = 0; i < 5; i++) {
		all[i].number = i;
		pthread_create(&all[i].handle, nullptr, run, &all[i]);
	}
	for (unsigned i = 0; i < 5; i++) {
		pthread_join(all[i].handle, nullptr);
		printf("thread %ld fib %lu\n", all[i].id, all[i].fibs);
	}
}

#ifdef EVENTS
QUIET static void events(bool with_types)
{
	static char bytes[] = "0123456789\n\"\\\377";
	unsigned long customs = 0, custom = 0;

	for (unsigned i = 1; i < sizeof(bytes); i++) {
		mark(bytes, i);
		customs++;
		custom += i;
	}
	printf("custom %lu %lu\n", customs, custom);
	if (!with_types)
		return;
	unsigned long typeds = 0, type_bytes = 0;
	uint16_t alpha = __xray_register_event_type("alpha");
	uint16_t beta = __xray_register_event_type("beta");
	for (unsigned i = 1; i < 5; i++) {
		typed(i & 1 ? alpha : beta, bytes, i);
		typeds++;
		type_bytes += i;
	}
	// For each typed event the runtime loses 16 bytes of a block: records
	// of these calls, not of those that the test compares.
	for (unsigned i = 0; i < 20; i++)
		leaf(i);
	printf("typed %lu %lu\n", typeds, type_bytes);
}
#endif

QUIET static void tell(const char *story)
{
	if (!strcmp(story, "fib"))
		work(10);
	else if (!strcmp(story, "threads"))
		threads();
	else if (!strcmp(story, "tail"))
		for (unsigned i = 0; i < 100; i++)
			hophop(i);
	else if (!strcmp(story, "throw"))
		for (unsigned i = 0; i < 50; i++)
			catcher(i);
#ifdef EVENTS
	else if (!strcmp(story, "events"))
		events(false);
	else if (!strcmp(story, "typed"))
		events(true);
#endif
	else if (!strcmp(story, "ring"))
		for (unsigned i = 0; i < 20000; i++)
			numbered(i);
	else if (!strcmp(story, "arguments"))
		for (unsigned long i = 0; i < 100; i++)
			numbered(i * 0x0123456789abcdef);
	else if (!strcmp(story, "threshold"))
		for (unsigned i = 0; i < 1000; i++) {
			if (i % 400 == 0)
				slow();
			quick();
		}
#ifdef WITH_LIBRARY
	else if (!strcmp(story, "library"))
		for (unsigned i = 0; i < 7; i++)
			lib_outer(leaf(i));
#endif
}

QUIET int main(int argc, char **argv)
{
	bool own = argc > 3 && strcmp(argv[1], "env") != 0;

	if (argc < 4)
		return 2;
	if (own && (__xray_log_select_mode(argv[1]) != 0 ||
		    __xray_log_init_mode(argv[1], argv[2]) != 2 ||
		    __xray_patch() != 1)) {
		fprintf(stderr, "tracing does not start\n");
		return 3;
	}
	tell(argv[3]);
	if (own && (__xray_log_finalize() != 4 || __xray_log_flushLog() != 2)) {
		fprintf(stderr, "tracing does not end\n");
		return 3;
	}
#ifdef WITH_LIBRARY
	counts[OUTSIDE] = lib_calls[0];
	counts[INSIDE] = lib_calls[1];
#endif
	for (int i = 0; i < FUNCTIONS; i++)
		if (counts[i])
			printf("calls %s %lu\n", names[i], counts[i].load());
	printf("tail %lu\ninferred %lu\n", tails.load(), inferred.load());
	return 0;
}
