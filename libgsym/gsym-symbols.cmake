# SPDX-License-Identifier: MIT
# gsym_add_symbols(TARGET
#                  [EMBED] [STORE DIR] [INSTALL DIR] [COMPONENT NAME]
#                  [REQUIRE WORD...] [OPTIONS OPTION...])
#
# Make symbols of the executable or library TARGET each time that it is linked:
# the file TARGET.gsym beside it, or, with EMBED, a section of TARGET itself, which
# strip keeps.
#   STORE DIR      also put them into DIR, by build ID (gsym-create --install)
#   INSTALL DIR    install TARGET.gsym to DIR, in the component COMPONENT (symbols)
#   REQUIRE WORD   debug-info, lines, inlines, symbols, build-id: the build fails
#                  if one is missing
#   OPTIONS        other options of gsym-create; with --path-prefix-map=auto paths
#                  below CMAKE_SOURCE_DIR, which CMake gives to compilers in full,
#                  become relative ones, too
# The variable gsym_CREATE names another gsym-create than gsym::gsym-create.
function(gsym_add_symbols target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMBED" "STORE;INSTALL;COMPONENT"
    "REQUIRE;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "gsym_add_symbols: unknown argument: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_EMBED AND arg_INSTALL)
    message(FATAL_ERROR
      "gsym_add_symbols: EMBED makes no file that INSTALL could install")
  endif()
  set(create ${gsym_CREATE})
  if(NOT create)
    if(NOT TARGET gsym::gsym-create)
      message(FATAL_ERROR "gsym_add_symbols: gsym-create was not found")
    endif()
    set(create gsym::gsym-create)
  endif()
  set(options --quiet)
  # No map can name a folder with "=".
  if("--path-prefix-map=auto" IN_LIST arg_OPTIONS AND
      NOT CMAKE_SOURCE_DIR MATCHES "=")
    list(APPEND options "--path-prefix-map=${CMAKE_SOURCE_DIR}/=")
  endif()
  list(APPEND options ${arg_OPTIONS})
  foreach(word ${arg_REQUIRE})
    list(APPEND options --require=${word})
  endforeach()
  set(store)
  if(arg_STORE)
    set(store COMMAND ${create} ${options} "--install=${arg_STORE}"
      $<TARGET_FILE:${target}>)
  endif()
  set(output -o $<TARGET_FILE:${target}>.gsym $<TARGET_FILE:${target}>)
  if(arg_EMBED)
    set(output --embed=$<TARGET_FILE:${target}>)
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    ${store}
    COMMAND ${create} ${options} ${output}
    VERBATIM)
  if(arg_INSTALL)
    if(NOT arg_COMPONENT)
      set(arg_COMPONENT symbols)
    endif()
    install(FILES $<TARGET_FILE:${target}>.gsym DESTINATION "${arg_INSTALL}"
      COMPONENT "${arg_COMPONENT}")
  endif()
endfunction()
