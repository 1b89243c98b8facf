/* producer.c as a library, for programs that load one: what $PRODUCER names
 * happens while the library is loaded. */
#define main producer_main
#include "producer.c"
#undef main

__attribute__((constructor)) static void loaded(void)
{
	char name[] = "producer", *how = getenv("PRODUCER");
	char *argv[] = { name, how, NULL };

	if (how)
		value = producer_main(2, argv);
}
