#!/bin/sh
# run.sh - three tools read the code without running it. Prints a line for
# each with the number of findings, and the findings themselves before it.
#
#   gcc -fanalyzer  src
#   clang-tidy      src, tests, examples; the checks are those of .clang-tidy
#   cppcheck        the same
#
#   LINT_TOOLS   some of them (gcc clang-tidy cppcheck)
#   LINT_JOBS    files at once (as many as there are processors)
#   LINT_CFLAGS  what the libraries need, as make lint says it
#   GCC, CLANG, CLANG_TIDY, CPPCHECK
#
# The status is 1 where there was a finding, and 2 where a tool is missing:
# what was not looked at is not clean. In lint/, below where it is run, is
# what each tool said of each file; one that has not changed since, headers
# included, is not read again.
#
# What a tool has wrong is said where it is wrong: as NOLINT or
# cppcheck-suppress beside the code, with a reason, or in gcc.supp and
# cppcheck.supp here. Figures are for Debian 12: gcc 12, clang-tidy 14,
# cppcheck 2.10; others may find more, or be wrong elsewhere.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
LINT_OUT=${LINT_OUT:-$(pwd)/lint}
out=$LINT_OUT
LC_ALL=C
export LC_ALL LINT_OUT

gcc=${GCC:-gcc}
clang=${CLANG:-clang}
tidy=${CLANG_TIDY:-clang-tidy}
cppcheck=${CPPCHECK:-cppcheck}
jobs=${LINT_JOBS:-$(getconf _NPROCESSORS_ONLN)}
flags="-std=gnu11 -Iinclude -Isrc/libprae -Isrc/prae-filter -Isrc/praectl
    -Itests -Itests/bench -DSPEED_CFLAGS= ${LINT_CFLAGS:-}"
warnings='-Wall -Wextra -Wshadow'

# The inner loops are the same in every variant: one is read.
sources() {
    ls src/*/*.c | grep -v '/kernel_v[0-9]\.c$'
}

others() {
    ls tests/*/*.c examples/*.c
}

# once LOG COMMAND...: has COMMAND write LOG, unless it did so for the same
# bytes on standard input.
once() {
    log=$1
    shift
    key=$(sha256sum)
    if [ ! -e "$log" ] || [ "$(cat "$log.key" 2>/dev/null)" != "$key" ]; then
        rm -f "$log.key"
        "$@" >"$log" 2>&1 || :
        echo "$key" >"$log.key"
    fi
}

# ---- each file; in the top directory ----

read_gcc() {
    { "$gcc" --version; "$gcc" -E $flags "$1"; } |
        once "$out/gcc/$(echo "$1" | tr / _)" \
            "$gcc" $flags -O1 -fanalyzer -fdiagnostics-plain-output \
            -fdiagnostics-path-format=none -c "$1" -o /dev/null
}

# Its notes lead from a finding back to where it comes from. Comments count,
# as NOLINT is one.
read_tidy() {
    {
        "$tidy" --version
        cat .clang-tidy tests/.clang-tidy
        "$clang" -E -C $flags "$1"
    } |
        once "$out/tidy/$(echo "$1" | tr / _)" \
            "$tidy" -quiet "$1" -- $flags $warnings
}

case ${1:-} in
read_*) # from each, below
    cd "$top"
    "$1" "$2"
    exit
    ;;
esac

# each WHAT: has all files on standard input read by it.
each() {
    xargs -n 1 -P "$jobs" sh "$here/run.sh" "$1"
}

# ---- each tool: its findings, one a line, on standard output ----

# Findings with the function they are in, but those that gcc.supp lists; and
# what is listed and was not found.
findings_gcc() {
    sources | each read_gcc
    awk -v list="$here/gcc.supp" '
        BEGIN {
            while ((getline line <list) > 0)
                if (line !~ /^#/ && line !~ /^ *$/)
                    listed[line] = 1
        }
        / In function / {
            within = $0
            sub(/.* In function ./, "", within)
            sub(/.:$/, "", within)
        }
        / (warning|error): / {
            file = flag = $0
            sub(/:.*/, "", file)
            sub(/.*\[/, "", flag)
            sub(/\]$/, "", flag)
            if ((file " " within " " flag) in listed)
                seen[file " " within " " flag] = 1
            else
                print $0 " in " within
        }
        END {
            for (line in listed)
                if (!(line in seen))
                    print list ": not needed: " line
        }' "$out"/gcc/*.c | sort -u
}

findings_tidy() {
    { sources; others; } | each read_tidy
    cat "$out"/tidy/*.c | grep -E ' (warning|error): ' | sed "s,$top/,," |
        sort -u
}

# Of a header what is not there does not count, nor what standard headers
# define: it knows the libraries by itself.
findings_cppcheck() {
    set -f
    defined=$(for flag in $flags; do
        case $flag in -[DI]*) echo "$flag" ;; esac
    done)
    set +f
    "$cppcheck" -q -j "$jobs" --std=c11 --platform=unix64 \
        --library=posix,gnu --enable=warning,performance,portability \
        --inline-suppr --suppressions-list="$here/cppcheck.supp" \
        --cppcheck-build-dir="$out/cppcheck" \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        -D__GNUC__=12 -D__linux__ -D__x86_64__ $defined \
        $(sources) $(others) 2>&1 | sort -u
}

# ---- all of it ----

cd "$top"
mkdir -p "$out/gcc" "$out/tidy" "$out/cppcheck"
status=0
for name in ${LINT_TOOLS:-gcc clang-tidy cppcheck}; do
    case $name in
    gcc) tool=$gcc what=gcc ;;
    clang-tidy) tool=$tidy what=tidy ;;
    cppcheck) tool=$cppcheck what=cppcheck ;;
    *) echo "lint: there is no tool $name" >&2 && exit 2 ;;
    esac
    for needed in $tool $([ $what != tidy ] || echo "$clang"); do
        command -v "$needed" >/dev/null 2>&1 && continue
        echo "lint: $name: not run, as there is no $needed; install it"
        status=2
        continue 2
    done
    findings_$what >"$out/$what.txt" || :
    cat "$out/$what.txt"
    count=$(wc -l <"$out/$what.txt")
    files=$({ sources; [ $what = gcc ] || others; } | wc -l)
    echo "lint: $name: $count findings in $files files"
    [ "$count" -eq 0 ] || [ $status -ne 0 ] || status=1
done
exit $status
