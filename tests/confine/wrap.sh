#!/bin/sh
# wrap.sh UNIT BUILD DIRECTORY - what stands for the programs of BUILD, in
# DIRECTORY: prae-filter under the filters of UNIT, and praectl as it is, as
# tests look for it beside. Their shell is replaced, so who signals the one
# process signals the other.
here=$(dirname "$0")
unit=$1
build=$2
mkdir -p "$3" || exit 1
at=$(cd "$3" && pwd)

sh "$here/policy.sh" "$unit" >"$at/policy" || exit 1
cat >"$at/prae-filter" <<END
#!/bin/sh
exec '$build/tests/confine/jail' '$at/policy' '$build/prae-filter' "\$@"
END
cat >"$at/praectl" <<END
#!/bin/sh
exec '$build/praectl' "\$@"
END
chmod +x "$at/prae-filter" "$at/praectl"
