# SPDX-License-Identifier: MIT
# fish completion for gsym-pprof
complete -c gsym-pprof -s h -l help -d 'show help, and end'
complete -c gsym-pprof -s o -l output -r -d 'write the profile to a file'
complete -c gsym-pprof -l gsym-file-directory -x -a '(__fish_complete_directories)' -d 'search a folder for GSYM files'
complete -c gsym-pprof -l copy -d 'read GSYM files instead of mapping them'
complete -c gsym-pprof -l strict -d 'end with status 1 if a location has no name'
complete -c gsym-pprof -l version -d 'show the version'
complete -c gsym-pprof -l return-addresses -d 'subtract 1 from each address'
complete -c gsym-pprof -l root -x -a '(__fish_complete_directories)' -d 'search a folder for the programs that were mapped'
complete -c gsym-pprof -l force -d 'name locations of mappings that have functions, too'
