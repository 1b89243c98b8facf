# SPDX-License-Identifier: MIT
# fish completion for the tools of gsym: the options that --help lists.
# Installed under the name of each tool.
set -l tool (string replace -r '\.fish$' '' -- (status basename))
for line in (command $tool --help 2>/dev/null)
    string match -rq '^ {2,6}(?:-(?<short>\w),? )?--(?<long>[\w-]+)(?<value>\[?=\S+)?\s*(?<text>.*)' -- $line
    or continue
    set -l arguments -c $tool -l $long -d "$text"
    test -n "$short"; and set -a arguments -s $short
    switch "$value"
        case ''
        case '*DIR' '*FILE' '*PATH' '*PREFIX'
            set -a arguments -r
        case '*'
            set -a arguments -x
    end
    complete $arguments
end
