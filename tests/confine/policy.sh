#!/bin/sh
# policy.sh UNIT - what a service unit lets its program do, for jail.c, one
# thing a line. System calls come from the unit, and their sets from
# systemd-analyze, so that unit and tests cannot drift apart; a setting that
# this does not know of is an error.
unit=$1
sets=$(systemd-analyze syscall-filter --no-pager 2>/dev/null) || {
    echo "policy.sh: needs systemd-analyze, which knows sets of system calls" >&2
    exit 1
}

# Settings that are not for the jail: what the manager does, and what takes
# namespaces for mounts and users, which a test cannot have everywhere. They
# hide files, and no call of the program's looks different for it.
others=' Type ExecStart ExecReload WatchdogSec TimeoutStopSec Restart
    RestartSec RestartPreventExitStatus
    DynamicUser Group UMask RuntimeDirectory RuntimeDirectoryMode
    StateDirectory StateDirectoryMode WorkingDirectory LoadCredential
    RemoveIPC KeyringMode
    ProtectSystem ProtectHome PrivateTmp ProtectProc ProcSubset PrivateUsers
    ProtectControlGroups '

sed -n '/^\[Service\]/,/^\[Install\]/s/^\([A-Za-z]*\)=\(.*\)/\1 \2/p' "$unit" |
    awk -v sets="$sets" -v others="$(echo $others)" '
    # Every call of SET, which may be one.
    function expand(set, change,    list, n, i) {
        if (set !~ /^@/) {
            allowed[set] = change
            return
        }
        if (!(set in members)) {
            print "policy.sh: no set is called " set >"/dev/stderr"
            failed = 1
        }
        n = split(members[set], list, " ")
        for (i = 1; i <= n; i++)
            expand(list[i], change)
    }
    function filter(words,    list, n, i, change) {
        change = !sub(/^~/, "", words)
        n = split(words, list, " ")
        for (i = 1; i <= n; i++)
            expand(list[i], change)
    }
    BEGIN {
        n = split(sets, lines, "\n")
        for (i = 1; i <= n; i++) {
            line = lines[i]
            if (line ~ /^@/) {
                set = line
                members[set] = ""
            }
            gsub(/[ \t]/, "", line)
            if (lines[i] ~ /^[ \t]/ && line !~ /^#/)
                members[set] = members[set] " " line
        }
        n = split(others, list, " ")
        for (i = 1; i <= n; i++)
            other[list[i]] = 1
        # Whatever a unit says, these are allowed.
        expand("@default", 1)
        # What these settings refuse besides what they hide.
        refused["PrivateDevices"] = "~@raw-io"
        refused["ProtectClock"] = "~@clock"
        refused["ProtectHostname"] = "~sethostname setdomainname"
        refused["ProtectKernelLogs"] = "~syslog"
        refused["ProtectKernelModules"] = "~@module"
        refused["ProtectKernelTunables"] = "~_sysctl"
        flag["LockPersonality"] = flag["MemoryDenyWriteExecute"] = 1
        flag["NoNewPrivileges"] = flag["RestrictNamespaces"] = 1
        flag["RestrictRealtime"] = flag["RestrictSUIDSGID"] = 1
    }
    { name = $1; value = $0; sub(/^[A-Za-z]* ?/, "", value) }
    name == "SystemCallFilter" { filter(value); next }
    name == "SystemCallErrorNumber" { print "error", value; next }
    name == "SystemCallArchitectures" && value == "native" { next }
    name == "RestrictAddressFamilies" {
        n = split(value, list, " ")
        for (i = 1; i <= n; i++)
            print "family", list[i]
        next
    }
    name in flag && value == "yes" { print "set", name; next }
    name == "CapabilityBoundingSet" && value == "" { print "set", name; next }
    name == "AmbientCapabilities" && value == "" { next }
    name in refused && value == "yes" { later = later " " name; next }
    name in other { next }
    {
        print "policy.sh: " name "=" value ": nobody knows what to do for it" \
            >"/dev/stderr"
        failed = 1
    }
    END {
        n = split(later, list, " ")
        for (i = 1; i <= n; i++)
            filter(refused[list[i]])
        for (call in allowed)
            if (allowed[call])
                print "call", call
        exit failed
    }'
