# Completion of praectl's command line in bash. Commands and options are asked
# of the program itself, so they are always the ones it has.

_praectl()
{
    local word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]}
    local option= values=

    # bash splits --name=value at the equals sign.
    if [ "$word" = "=" ]; then
        option=$before
        word=
    elif [ "$before" = "=" ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        case $before in
        -f) option=--format ;;
        -i) option=--interval ;;
        -s) option=--sort ;;
        -w) option=--where ;;
        esac
    fi

    case $option in
    --format) values='msgpack jsonl csv' ;;
    --interval) values='200ms 1s 5s 1m' ;;
    --sort) values='time score' ;;
    --timeout) values='500ms 5s 1m' ;;
    --where) values='score> p< gate< error> seq= window= model= kind=outlier
        kind=reject state= field= code= reason~' ;;
    esac

    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "--help --version $(praectl --help 2>/dev/null |
            sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')" -- "$word"))
    elif [ -n "$values" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
        [ "$option" != --where ] || compopt -o nospace
    elif [ -z "$option" ] && [ "${word#-}" != "$word" ]; then
        COMPREPLY=($(compgen -W "$(praectl "$command" --help 2>/dev/null |
            grep -oE -- '^  .*--[a-z-]+=?' | grep -oE -- '--[a-z-]+=?' |
            sort -u)" -- "$word"))
        [ "${#COMPREPLY[@]}" -ne 1 ] || [ "${COMPREPLY[0]%=}" = "${COMPREPLY[0]}" ] ||
            compopt -o nospace
    elif [ "$command" = top ] && [ -z "$option" ]; then
        COMPREPLY=($(compgen -W 'http:// ipc:// tcp://' -- "$word"))
        compopt -o nospace
    elif [ -z "$option" ] && [[ " pause resume revert set snapshot stats stop " == *" $command "* ]]; then
        case $command$before in
        set*://* | set//*) COMPREPLY=($(compgen -W 'fpr threshold' -- "$word")) ;;
        *)
            COMPREPLY=($(compgen -W 'ipc:// tcp://' -- "$word"))
            compopt -o nospace
            ;;
        esac
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}

complete -o filenames -F _praectl praectl
