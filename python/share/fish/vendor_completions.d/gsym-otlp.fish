# SPDX-License-Identifier: MIT
# fish completion for gsym-otlp
complete -c gsym-otlp -s h -l help -d 'show help, and end'
complete -c gsym-otlp -s o -l output -r -d 'write the profile to a file'
complete -c gsym-otlp -l gsym-file-directory -x -a '(__fish_complete_directories)' -d 'search a folder for GSYM files'
complete -c gsym-otlp -l copy -d 'read GSYM files instead of mapping them'
complete -c gsym-otlp -l strict -d 'end with status 1 if a location has no name'
complete -c gsym-otlp -l version -d 'show the version'
complete -c gsym-otlp -l return-addresses -d 'subtract 1 from each address'
complete -c gsym-otlp -l listen -x -d 'take profiles over HTTP at host:port'
complete -c gsym-otlp -l listen-grpc -x -d 'take profiles over gRPC at host:port'
complete -c gsym-otlp -l listen-symbols -x -d 'serve symbols to the Firefox Profiler at host:port'
complete -c gsym-otlp -l forward -x -d 'hand profiles on to this collector'
