/*
 * jail.c - runs a program as a service manager would by a unit's filters.
 *
 *     jail POLICY PROGRAM [ARGUMENT]...
 *     jail POLICY                          looks whether it holds, as TAP
 *
 * POLICY is what policy.sh made of the unit. The filter is one of seccomp(2),
 * written out: first what is refused for its arguments, then the calls that
 * are allowed, one by one; the rest fails with the error that the unit names.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare. NOLINT(bugprone-reserved-identifier) */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FIRST_FOREIGN 0x40000000u /* x32's calls */
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#endif

#ifdef ARCHITECTURE

#define CODE_MAX 4000
#define NAMESPACES                                                            \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |            \
     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* What <sys/syscall.h> calls the calls. */
static const struct call {
    const char *name;
    unsigned number;
} calls[] = {
#include "calls.h"
};

static const struct family {
    const char *name;
    unsigned number;
} families[] = {{"AF_UNIX", AF_UNIX},
                {"AF_INET", AF_INET},
                {"AF_INET6", AF_INET6},
                {"AF_NETLINK", AF_NETLINK}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct policy {
    unsigned allowed[COUNT(calls)];
    size_t allowed_count;
    unsigned family[COUNT(families)];
    size_t family_count;
    int error; /* of what is not allowed */
    int deny_wx, no_privileges, no_capabilities, no_namespaces, no_realtime,
        lock_personality, no_suid;
};

static void
die(const char *what, const char *name)
{
    printf("Bail out! jail: %s%s: %s\n", what, name, strerror(errno));
    exit(99);
}

/* ---- the policy ---- */

static void
take_set(struct policy *policy, const char *name)
{
    const struct {
        const char *name;
        int *field;
    } sets[] = {{"MemoryDenyWriteExecute", &policy->deny_wx},
                {"NoNewPrivileges", &policy->no_privileges},
                {"CapabilityBoundingSet", &policy->no_capabilities},
                {"RestrictNamespaces", &policy->no_namespaces},
                {"RestrictRealtime", &policy->no_realtime},
                {"LockPersonality", &policy->lock_personality},
                {"RestrictSUIDSGID", &policy->no_suid}};

    for (size_t i = 0; i < COUNT(sets); i++) {
        if (strcmp(sets[i].name, name) == 0) {
            *sets[i].field = 1;
            return;
        }
    }
    errno = EINVAL;
    die("set ", name);
}

static void
take_family(struct policy *policy, const char *name)
{
    for (size_t i = 0; i < COUNT(families); i++) {
        if (strcmp(families[i].name, name) == 0) {
            policy->family[policy->family_count++] = families[i].number;
            return;
        }
    }
    errno = EINVAL;
    die("family ", name);
}

/* Those of other machines have names, too, and no numbers here. */
static void
take_call(struct policy *policy, const char *name)
{
    for (size_t i = 0; i < COUNT(calls); i++)
        if (strcmp(calls[i].name, name) == 0)
            policy->allowed[policy->allowed_count++] = calls[i].number;
}

static void
read_policy(struct policy *policy, const char *path)
{
    FILE *file = fopen(path, "re");
    char word[20], name[80];

    if (file == NULL)
        die("", path);
    while (fscanf(file, "%19s %79s", word, name) == 2) {
        if (strcmp(word, "call") == 0)
            take_call(policy, name);
        else if (strcmp(word, "family") == 0)
            take_family(policy, name);
        else if (strcmp(word, "set") == 0)
            take_set(policy, name);
        else if (strcmp(word, "error") == 0 && strcmp(name, "EPERM") == 0)
            policy->error = EPERM;
        else
            die("no such word: ", word);
    }
    fclose(file);
    if (policy->allowed_count == 0 || policy->family_count == 0 ||
        policy->error == 0) {
        errno = EINVAL;
        die("not a policy: ", path);
    }
}

/* ---- the filter ---- */

static struct sock_filter code[CODE_MAX];
static size_t code_len;

static void
put(uint16_t op, uint32_t value, uint8_t yes, uint8_t no)
{
    if (code_len == CODE_MAX) {
        errno = E2BIG;
        die("the filter", "");
    }
    code[code_len++] = (struct sock_filter){op, yes, no, value};
}

static void
load(size_t offset)
{
    put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void
load_number(void)
{
    load(offsetof(struct seccomp_data, nr));
}

/* The lower half of argument I: all that flags and modes have. */
static void
load_argument(size_t i)
{
    size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;

    load(offsetof(struct seccomp_data, args) + 8 * i + low);
}

static void
refuse(int error)
{
    put(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error, 0, 0);
}

static void
refuse_call(unsigned number, int error)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    refuse(error);
}

/* Where argument I has any of BITS. */
static void
refuse_bits(unsigned number, size_t i, uint32_t bits, int error)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load_argument(i);
    put(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    refuse(error);
    load_number();
}

/* Where argument I has all of BITS. */
static void
refuse_all_bits(unsigned number, size_t i, uint32_t bits, int error)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 5);
    load_argument(i);
    put(BPF_ALU | BPF_AND | BPF_K, bits, 0, 0);
    put(BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1);
    refuse(error);
    load_number();
}

/* Where argument I is none of VALUES (COUNT). */
static void
refuse_others(unsigned number, size_t i, const unsigned *values, size_t count,
              int error)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, number, 0, (uint8_t)(count + 3));
    load_argument(i);
    for (size_t k = 0; k < count; k++)
        put(BPF_JMP | BPF_JEQ | BPF_K, values[k], (uint8_t)(count - k), 0);
    refuse(error);
    load_number();
}

/* Where a file is made, as argument FLAGS says, with a mode (argument I) that
 * lends its owner's rights. */
static void
refuse_mode(unsigned number, size_t flags, size_t i)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 6);
    load_argument(flags);
    put(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 3);
    load_argument(i);
    put(BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 0, 1);
    refuse(EPERM);
    load_number();
}

static void
write_memory(void)
{
    refuse_all_bits(SYS_mmap, 2, PROT_WRITE | PROT_EXEC, EPERM);
    refuse_bits(SYS_mprotect, 2, PROT_EXEC, EPERM);
    refuse_bits(SYS_pkey_mprotect, 2, PROT_EXEC, EPERM);
    refuse_bits(SYS_shmat, 2, SHM_EXEC, EPERM);
}

/* What clone3 is asked for cannot be looked at; libc does without it. */
static void
write_namespaces(void)
{
    refuse_bits(SYS_clone, 0, NAMESPACES, EPERM);
    refuse_bits(SYS_unshare, 0, NAMESPACES, EPERM);
    refuse_call(SYS_setns, EPERM);
    refuse_call(SYS_clone3, ENOSYS);
}

static void
write_suid(void)
{
    const uint32_t bits = S_ISUID | S_ISGID;

#ifdef SYS_open
    refuse_mode(SYS_open, 1, 2);
    refuse_bits(SYS_creat, 1, bits, EPERM);
    refuse_bits(SYS_chmod, 1, bits, EPERM);
    refuse_bits(SYS_mkdir, 1, bits, EPERM);
    refuse_bits(SYS_mknod, 1, bits, EPERM);
#endif
    refuse_mode(SYS_openat, 2, 3);
    refuse_bits(SYS_fchmod, 1, bits, EPERM);
    refuse_bits(SYS_fchmodat, 2, bits, EPERM);
    refuse_bits(SYS_mkdirat, 2, bits, EPERM);
    refuse_bits(SYS_mknodat, 2, bits, EPERM);
#ifdef SYS_openat2
    refuse_call(SYS_openat2, ENOSYS);
#endif
}

static void
write_filter(const struct policy *policy)
{
    const unsigned calm[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE};
    const unsigned persona[] = {(unsigned)personality(0xffffffff), 0xffffffff};

    load(offsetof(struct seccomp_data, arch));
    put(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    refuse(policy->error);
    load_number();
#ifdef FIRST_FOREIGN
    put(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN, 0, 1);
    refuse(policy->error);
#endif
    refuse_others(SYS_socket, 0, policy->family, policy->family_count,
                  EAFNOSUPPORT);
    if (policy->deny_wx)
        write_memory();
    if (policy->no_namespaces)
        write_namespaces();
    if (policy->no_realtime)
        refuse_others(SYS_sched_setscheduler, 1, calm, COUNT(calm), EPERM);
    if (policy->lock_personality)
        refuse_others(SYS_personality, 0, persona, COUNT(persona), EPERM);
    if (policy->no_suid)
        write_suid();
    for (size_t i = 0; i < policy->allowed_count; i++) {
        put(BPF_JMP | BPF_JEQ | BPF_K, policy->allowed[i], 0, 1);
        put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    }
    refuse(policy->error);
}

/* ---- entering ---- */

/* Who is not root has none to lose. */
static void
drop_capabilities(void)
{
    struct __user_cap_header_struct header = {
        .version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    if (geteuid() == 0)
        for (unsigned long i = 0; i < 64; i++)
            if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) != 0 && errno != EINVAL)
                die("capabilities", "");
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) != 0)
        die("capabilities", "");
}

static void
enter(const struct policy *policy)
{
    struct sock_fprog program = {.filter = code};

    if (policy->no_capabilities)
        drop_capabilities();
    if (!policy->no_privileges) {
        errno = EINVAL;
        die("NoNewPrivileges is not set", "");
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        die("NoNewPrivileges", "");
    write_filter(policy);
    program.len = (unsigned short)code_len;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        die("seccomp", "");
}

/* ---- looking whether it holds ---- */

static int
fails_with(long result, int error)
{
    return result == -1 && errno == error;
}

static int
probe(void)
{
    struct sched_param param = {.sched_priority = 1};
    int page = (int)sysconf(_SC_PAGESIZE);
    void *data = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ok(fails_with(socket(AF_PACKET, SOCK_DGRAM, 0), EAFNOSUPPORT),
       "no socket of another family");
    ok(socket(AF_INET, SOCK_STREAM, 0) >= 0, "... but of those allowed");
    ok(fails_with(mprotect(data, (size_t)page, PROT_READ | PROT_EXEC), EPERM),
       "no data becomes code");
    ok(mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE | PROT_EXEC,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
           errno == EPERM,
       "... nor is both");
    ok(mprotect(data, (size_t)page, PROT_READ) == 0, "... but may be locked");
    ok(fails_with(unshare(CLONE_NEWUSER), EPERM), "no namespace");
    ok(fails_with(sched_setscheduler(0, SCHED_FIFO, &param), EPERM),
       "no real time");
    param.sched_priority = 0;
    ok(sched_setscheduler(0, SCHED_BATCH, &param) == 0, "... but batches");
    ok(fails_with(personality(ADDR_NO_RANDOMIZE), EPERM), "no personality");
    ok(fails_with(openat(AT_FDCWD, "suid", O_WRONLY | O_CREAT, 04755), EPERM),
       "no file that lends its owner's rights");
    /* Both would do without the filter, and without rights. */
    ok(fails_with(ptrace(PTRACE_TRACEME, 0, NULL, NULL), EPERM),
       "no call that is not allowed");
    ok(fails_with(setpriority(PRIO_PROCESS, 0, 19), EPERM),
       "... nor one of a set that was taken out");
    return tap_done();
}

int
main(int argc, char **argv)
{
    struct policy policy = {0};

    if (argc < 2)
        die("jail POLICY [PROGRAM ...]", "");
    read_policy(&policy, argv[1]);
    enter(&policy);
    if (argc == 2)
        return probe();
    execv(argv[2], argv + 2);
    die("", argv[2]);
    return 99;
}

#else

int
main(void)
{
    return tap_skip_all("no seccomp here, or a machine whose name for it is "
                        "not known");
}

#endif
