# SPDX-License-Identifier: MIT
# Tests of the base room.

if HAVE_CRITERION
base_tests = test_archive test_budget test_crc32c test_cursor test_debug_path test_digit \
	test_emit test_containers test_hash test_heap test_pages test_pool \
	test_path_map test_sort test_symbol_name test_system test_system_less
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)

test_archive_SOURCES = tests/unit/base/test_archive.c
test_archive_CPPFLAGS = $(unit_cppflags)
test_archive_LDADD = libbase.la $(CRITERION_LIBS)

test_budget_SOURCES = tests/unit/base/test_budget.c
test_budget_CPPFLAGS = $(unit_cppflags)
test_budget_LDADD = $(CRITERION_LIBS)

test_pages_SOURCES = tests/unit/base/test_pages.c
test_pages_CPPFLAGS = $(unit_cppflags)
test_pages_LDADD = libbase.la $(CRITERION_LIBS)

test_path_map_SOURCES = tests/unit/base/test_path_map.c
test_path_map_CPPFLAGS = $(unit_cppflags)
test_path_map_LDADD = libbase.la $(CRITERION_LIBS)

test_symbol_name_SOURCES = tests/unit/base/test_symbol_name.c
test_symbol_name_CPPFLAGS = $(unit_cppflags)
test_symbol_name_LDADD = libbase.la $(CRITERION_LIBS)

test_system_SOURCES = tests/unit/base/test_system.c
test_system_CPPFLAGS = $(unit_cppflags)
test_system_LDADD = libbase.la $(CRITERION_LIBS)

test_system_less_SOURCES = tests/unit/base/test_system.c
test_system_less_CPPFLAGS = $(unit_cppflags) -DTEST_LESS
test_system_less_LDADD = libbase.la $(CRITERION_LIBS)

test_crc32c_SOURCES = tests/unit/base/test_crc32c.c
test_crc32c_CPPFLAGS = $(unit_cppflags)
test_crc32c_LDADD = libbase.la $(CRITERION_LIBS)

test_cursor_SOURCES = tests/unit/base/test_cursor.c
test_cursor_CPPFLAGS = $(unit_cppflags)
test_cursor_LDADD = libbase.la $(CRITERION_LIBS)

test_debug_path_SOURCES = tests/unit/base/test_debug_path.c
test_debug_path_CPPFLAGS = $(unit_cppflags)
test_debug_path_LDADD = libbase.la $(CRITERION_LIBS)

test_digit_SOURCES = tests/unit/base/test_digit.c
test_digit_CPPFLAGS = $(unit_cppflags)
test_digit_LDADD = $(CRITERION_LIBS)

test_emit_SOURCES = tests/unit/base/test_emit.c
test_emit_CPPFLAGS = $(unit_cppflags)
test_emit_LDADD = libbase.la $(CRITERION_LIBS)

test_containers_SOURCES = tests/unit/base/test_containers.c
test_containers_CPPFLAGS = $(unit_cppflags)
test_containers_LDADD = libbase.la $(CRITERION_LIBS)

test_heap_SOURCES = tests/unit/base/test_heap.c
test_heap_CPPFLAGS = $(unit_cppflags)
test_heap_LDADD = libbase.la $(CRITERION_LIBS)

test_hash_SOURCES = tests/unit/base/test_hash.c
test_hash_CPPFLAGS = $(unit_cppflags)
test_hash_LDADD = $(CRITERION_LIBS)

test_sort_SOURCES = tests/unit/base/test_sort.c
test_sort_CPPFLAGS = $(unit_cppflags)
test_sort_LDADD = libbase.la $(PTHREAD_LIBS) $(CRITERION_LIBS)

test_pool_SOURCES = tests/unit/base/test_pool.c
test_pool_CPPFLAGS = $(unit_cppflags)
test_pool_LDADD = libbase.la $(PTHREAD_LIBS) $(CRITERION_LIBS)
endif
