# Completion of prae-filter's command line in bash. The options are asked of
# the program itself, so they are always the ones it has.

_prae_filter()
{
    local word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    local option= values= types=

    # bash splits --name=value at the equals sign.
    if [ "$word" = "=" ]; then
        option=$before
        word=
    elif [ "$before" = "=" ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        case $before in
        -f) option=--format ;;
        -i) option=--in ;;
        -o | -O) option=--inliers ;;
        -m) option=--file ;;
        esac
    fi

    case $option in
    --format) values='msgpack jsonl csv' ;;
    --nonfinite) values='reject impute' ;;
    --window) values='all' ;;
    --emit) values='window now' ;;
    --cold) values='hold pass flag' ;;
    --context) values='auto on off' ;;
    --smooth) values='auto off' ;;
    --second) values='knn none' ;;
    --gates) values='l1 l0 hard none' ;;
    --estimator) values='exact sampled' ;;
    --lambda) values='auto me validate' ;;
    --hidden) values='auto none' ;;
    --activation) values='tanh leaky linear' ;;
    --loss) values='squared relative' ;;
    --sandbox) values='auto off' ;;
    --log) values='text json' ;;
    --max-wait) values='never' ;;
    --http) values='127.0.0.1:9100 [::1]:9100' ;;
    --in) types='pull: sub:' ;;
    --inliers | --outliers | --rejects | --scores) types='push: pub: null:' ;;
    esac

    if [ -n "$values" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [ -n "$types" ]; then
        # A socket, whose endpoint nobody can guess, or a file.
        COMPREPLY=($(compgen -W "$types" -- "$word") $(compgen -f -- "$word"))
        compopt -o nospace
    elif [ "$option" = --curve-allow ]; then
        COMPREPLY=($(compgen -d -- "$word"))
    elif [ -n "$option" ]; then
        COMPREPLY=($(compgen -f -- "$word"))
    elif [ "${word#-}" != "$word" ]; then
        COMPREPLY=($(compgen -W "$(prae-filter --help 2>/dev/null |
            grep -oE -- '--[a-z-]+=?' | sort -u)" -- "$word"))
        [ "${#COMPREPLY[@]}" -ne 1 ] || [ "${COMPREPLY[0]%=}" = "${COMPREPLY[0]}" ] ||
            compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}

complete -o filenames -F _prae_filter prae-filter
