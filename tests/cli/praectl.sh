#!/bin/sh
# praectl: what it does not know is told, and the keys it makes are private,
# whole, and understood by others.
. "$top_srcdir/tests/tap.sh"
ctl=$top_builddir/praectl
umask 022

# refused STATUS PATTERN ARGUMENTS...
refused() {
    want=$1
    pattern=$2
    shift 2
    run "$ctl" "$@" </dev/null
    is_status "$want" "refused: praectl $*"
    has stderr "^praectl: error: $pattern" "it is told: $pattern"
    [ ! -s ../stdout ]
    ok $? "and nothing is printed"
}

refused 2 'a command is missing; see praectl --help'
refused 2 'a command is missing' ''
refused 2 'no command keys; see praectl --help' keys
refused 2 'no command relaese; did you mean release?' relaese
refused 2 'no option --force; see praectl --help' --force keygen k
refused 2 'keygen takes the name of one FILE' keygen
refused 2 'keygen takes the name of one FILE' keygen ''
refused 2 'keygen takes the name of one FILE' keygen a b
refused 2 'keygen: no option --frce; did you mean --force?' keygen a --frce
refused 2 'keygen: --force takes no value' keygen --force=yes a
refused 2 'keygen: --force takes no value' keygen --fo=yes a
refused 2 'keygen: no option -x' keygen -fx a
refused 2 'keygen: a_secret would hold the public key' keygen a_secret
refused 74 'cannot write no/such/k: No such file or directory' keygen no/such/k
refused 2 "pause: 'tcp://127.0.0.1' has no port" pause tcp://127.0.0.1
refused 2 "stop: 'http://127.0.0.1:1' is no endpoint" stop http://127.0.0.1:1
refused 2 "top: 'tcp://127.0.0.1:70000' has '70000' for a port" \
    top tcp://127.0.0.1:70000
[ -z "$(ls)" ]
ok $? "none of these leaves a file"

run "$ctl" --help
is_status 0 "--help succeeds"
has stdout '^Usage: praectl COMMAND' "--help shows usage"
has stdout '^  keygen ' "and the commands"
run "$ctl" keygen --help
is_status 0 "keygen --help succeeds"
has stdout '^Usage: praectl keygen' "and shows its usage"
version=$(sed -n 's/^AC_INIT(\[prae\], \[\([0-9.]*\)\].*/\1/p' \
    "$top_srcdir/configure.ac")
run "$ctl" --version
is_status 0 "--version succeeds"
has stdout "^praectl $version\$" "and says $version"
if [ -w /dev/full ]; then
    "$ctl" --help >/dev/full 2>../stderr
    status=$?
    is_status 74 "standard output that cannot be written is an error"
fi

"$ctl" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' >commands
[ -s commands ]
missing=$?
while read -r command; do
    grep -q "^\.Cm $command\$" "$top_srcdir/man/praectl.1" || missing=1
    for option in $("$ctl" "$command" --help | grep -oE -- '--[a-z-]+' |
        sed 's/^--//' | sort -u); do
        grep -q "Fl -$option" "$top_srcdir/man/praectl.1" || missing=1
    done
done <commands
ok $missing "praectl.1 has every command and its options"
rm commands

# mode FILE: its permissions, as ls shows them.
mode() {
    ls -l "$1" | cut -c 1-10
}

run "$ctl" keygen pump.key
is_status 0 "keygen makes keys"
has stdout 'curve-secret=pump.key_secret$' "says where the secret goes"
has stdout 'copy it to its --curve-allow directory' "and where the public key"
has stdout 'curve-server=pump.key$' "goes"
[ ! -s ../stderr ]
ok $? "and complains of nothing"
[ "$(mode pump.key)" = -rw-r--r-- ] &&
    [ "$(mode pump.key_secret)" = -rw------- ]
ok $? "the secret is readable by its owner only"
! grep -q secret-key pump.key && grep -q secret-key pump.key_secret
ok $? "and in one of the files only"
secret=$(sed -n 's/.*secret-key = "\(.*\)"$/\1/p' pump.key_secret)
[ "${#secret}" -eq 40 ] && ! grep -qF "$secret" ../stdout
ok $? "it is not printed"
[ "$(ls)" = "$(printf 'pump.key\npump.key_secret')" ]
ok $? "these two files are all"

cp pump.key old
cp pump.key_secret old_secret
refused 74 'cannot write pump.key: it is there already' keygen pump.key
is_same pump.key old "the public key is as it was"
is_same pump.key_secret old_secret "so is the secret"
rm pump.key
refused 74 'cannot write pump.key_secret: it is there already' keygen pump.key
[ ! -e pump.key ]
ok $? "and no public key without its secret is left"
chmod 644 pump.key_secret
run "$ctl" keygen pump.key --force
is_status 0 "--force replaces"
! cmp -s pump.key_secret old_secret &&
    [ "$(mode pump.key_secret)" = -rw------- ]
ok $? "with new keys, and private"
[ "$(ls)" = "$(printf 'old\nold_secret\npump.key\npump.key_secret')" ]
ok $? "and leaves nothing else"
(umask 0 && "$ctl" keygen open >/dev/null)
[ "$(mode open_secret)" = -rw------- ]
ok $? "no umask makes a secret public"

python=python3
$python -c 'import zmq.auth' 2>/dev/null || python=/usr/bin/python3
if $python -c 'import zmq.auth' 2>/dev/null; then
    cat >check.py <<'END'
import zmq, zmq.auth
public, secret = zmq.auth.load_certificate("pump.key_secret")
assert zmq.auth.load_certificate("pump.key") == (public, None)
assert zmq.curve_public(secret) == public
assert list(zmq.auth.load_certificates(".")) == [public]
END
    run $python check.py
    is_status 0 "pyzmq understands the files"
else
    ok 0 "no python with pyzmq # SKIP"
fi
tap_done
