#!/bin/sh
# embed.sh - makes the C file with the report and the live page in it.
#
#   embed.sh DIRECTORY >web.c
#
# A page is one file that loads nothing: style and scripts are joined into it,
# without comments and indentation. What may run is named in its policy by
# digest, so markup that got in from a record could do nothing. Bytes are
# written as numbers, because compilers need not take strings this long.
set -eu
LC_ALL=C
export LC_ALL
src=$1
style='style.css charts.css parts.css media.css'
shared='text.js chart.js histogram.js timeline.js features.js record.js
    parts.js'
report="$shared findings.js report.js"
live="$shared live.js poll.js"

work=$(mktemp -d "${TMPDIR:-/tmp}/embed.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Comments count only where they have lines of their own.
squeeze() {
    for file in "$@"; do
        if tr -d '\n\040-\176' <"$src/$file" | grep . >/dev/null; then
            echo "embed.sh: $file: only ASCII, please" >&2
            exit 1
        fi
        awk '
            /^ *\/\*/ { inside = 1 }
            !inside && !/^ *\/\// && !/^ *$/ { sub(/^ +/, ""); print }
            /\*\/ *$/ { inside = 0 }' "$src/$file"
    done
}

# The source as a policy names it; without a tool for that, anything inline.
digest() {
    { sha256sum "$1" || shasum -a 256 "$1" || openssl dgst -sha256 -r "$1"
    } 2>/dev/null | awk '
        function value(hex) {
            return index("0123456789abcdef", substr(line, hex, 1)) - 1
        }
        function letter(n) { return substr(letters, n + 1, 1) }
        BEGIN {
            letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
            letters = letters "0123456789+/"
        }
        NR == 1 && /^[0-9a-f]+ / && index($0, " ") == 65 {
            line = $0
            for (i = 1; i < 64; i += 3) {
                n = value(i) * 256 + value(i + 1) * 16 + value(i + 2)
                out = out letter(int(n / 64)) letter(n % 64)
            }
            out = "sha256-" out letter(value(64) * 4) "="
        }
        END { print "\047" (out == "" ? "unsafe-inline" : out) "\047" }'
}

# page NAME SCRIPTS...: the template NAME.html with all in its place.
page() {
    name=$1
    shift
    squeeze $style >"$work/style"
    { printf '"use strict";\n{\n'; squeeze "$@"; echo '}'; } >"$work/script"
    sed -e "s|@style-digest@|$(digest "$work/style")|" \
        -e "s|@script-digest@|$(digest "$work/script")|" \
        "$src/$name.html" | awk -v work="$work" '
        function paste(mark,    at, line) {
            at = index($0, "@" mark "@")
            printf "%s", substr($0, 1, at - 1)
            while ((getline line < (work "/" mark)) > 0)
                print line
            close(work "/" mark)
            print substr($0, at + length(mark) + 2)
        }
        /@style@/ { paste("style"); next }
        /@script@/ { paste("script"); next }
        { print }'
}

array() {
    printf '\nconst char %s[] = {\n' "$1"
    od -An -v -tu1 | sed -e 's/  */,/g' -e 's/^,//' -e 's/$/,/'
    printf '0};\n'
}

page report $report >"$work/report"
page live $live >"$work/live"
echo '/* Made by embed.sh from the files in web/. */'
echo '#include "web.h"'
awk '/@facts@/ { sub(/@facts@.*/, ""); printf "%s", $0; exit } { print }' \
    "$work/report" | array web_report_begin
awk 'on { print } !on && sub(/.*@facts@/, "") { print; on = 1 }' \
    "$work/report" | array web_report_end
array web_live <"$work/live"
