#!/bin/sh
# Bash completes what the program has.
. "$top_srcdir/tests/tap.sh"
command -v bash >/dev/null || skip_all "no bash"

# complete_words WORDS...: what the last of them completes to.
complete_words() {
    PATH=$top_builddir:$PATH bash -c '
        . "$1"; shift
        compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _${1/-/_}
        printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$top_srcdir/src/$1/completion.bash" "$@" >../stdout
}

complete_words prae-filter --wi
has stdout '^--window=$' "--wi completes to --window="
complete_words prae-filter --format = j
has stdout '^jsonl$' "--format=j completes to jsonl"
complete_words prae-filter -f c
has stdout '^csv$' "-f c completes to csv"
echo >some.csv
complete_words prae-filter so
has stdout '^some.csv$' "files complete"

# Every option with words has its words there.
"$filter" --help | grep -oE -- '--[a-z-]+=(KIND|WHAT|WHEN|HOW|FORM|FORMAT|RULE)' |
    sed 's/=.*//' | sort -u >wordy
missing=0
while read -r option; do
    grep -q -- " $option)" "$top_srcdir/src/prae-filter/completion.bash" || {
        echo "# $option has no words"
        missing=1
    }
done <wordy
ok $missing "options that take words complete them"

complete_words praectl re
has stdout '^release$' "praectl's commands complete"
complete_words praectl show --so
has stdout '^--sort=$' "and their options"
complete_words praectl release --so
[ -z "$(cat ../stdout)" ]
ok $? "no other command's"
complete_words praectl show --sort = s
has stdout '^score$' "and their words"
complete_words praectl top --inter
has stdout '^--interval=$' "and those of top"
complete_words praectl top h
has stdout '^http://$' "which takes no file"
complete_words praectl rescore so
has stdout '^some.csv$' "and files"
complete_words praectl pause --ti
has stdout '^--timeout=$' "what a filter is told has options, too"
complete_words praectl stop ipc
has stdout '^ipc://$' "and goes to an endpoint"
complete_words praectl set ipc://x thr
has stdout '^threshold$' "and of what is set the names complete"
tap_done
