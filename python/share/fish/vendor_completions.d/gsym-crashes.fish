# SPDX-License-Identifier: MIT
# fish completion for gsym-crashes; the other options are those of gsym-markup
complete -c gsym-crashes -w gsym-markup
complete -c gsym-crashes -s h -l help -d 'show help, and end'
complete -c gsym-crashes -s V -l version -d 'show the version'
complete -c gsym-crashes -s q -l quiet -d 'write no notes'
complete -c gsym-crashes -l format -x -a 'text json sarif' -d 'how the crashes are written'
complete -c gsym-crashes -l from-json -r -d 'read what gsym-markup --json wrote'
