/* The seccomp filter: which calls stop, decided by number and, for the standard
 * streams, by descriptor.  Built from the table as a binary search over runs of
 * numbers that are treated alike. */
#include "engine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static struct sock_filter code[4096];
static unsigned short used;

static void emit(unsigned short op, unsigned char yes, unsigned char no, uint32_t k)
{
    if (used == sizeof code / sizeof *code)
        die("the seccomp filter is too long");
    code[used++] = (struct sock_filter){op, yes, no, k};
}

static void emit_return(uint32_t what)
{
    emit(BPF_RET | BPF_K, 0, 0, what);
}

/* One task at a time: every call stops anyway, once it is traced; the first exec begins that. */
static uint32_t trace_of(const struct rex_call *c)
{
    return serial_on && c != &rex_calls[REX_NR_execve] ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRACE;
}

/* Without a recording only names stop, and what the recorder would refuse is refused. */
static int stop_of(const struct rex_call *c)
{
    long nr = c - rex_calls;
    if (!is_live || c->stop == REX_STOP_ERRNO || !c->name)
        return c->stop;
    if (live_stops(nr))
        return REX_STOP_ALWAYS;
    return live_is_recorded() ? c->stop : REX_STOP_NEVER;
}

static bool alike(long a, long b)
{
    if (serial_on && a != b && (a == REX_NR_execve || b == REX_NR_execve))
        return false;
    if (a != b && (a == REX_NR_futex || b == REX_NR_futex || a == REX_NR_fcntl || b == REX_NR_fcntl))
        return false;
    const struct rex_call *x = &rex_calls[a], *y = &rex_calls[b];
    return stop_of(x) == stop_of(y) && x->err == y->err
        && (stop_of(x) != REX_STOP_STD || x->fd_args == y->fd_args);
}

/* Of futex only waits until a point in time: a replay's clock is not the kernel's. */
static void emit_futex(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    emit(BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x7f);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, FUTEX_WAIT_BITSET);
    emit_return(SECCOMP_RET_ALLOW);
    for (int half = 0; half < 8; half += 4) {
        emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[3]) + (unsigned)half);
        emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        emit_return(trace_of(&rex_calls[REX_NR_futex]));
    }
    emit_return(SECCOMP_RET_ALLOW);
}

/* Who holds a lock is told by process id, also of plain files. */
static void emit_fcntl(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, F_GETLK);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, F_OFD_GETLK);
    emit_return(trace_of(&rex_calls[REX_NR_fcntl]));
}

static void emit_leaf(const struct rex_call *c)
{
    int stop = stop_of(c);
    if (c == &rex_calls[REX_NR_fcntl] && stop == REX_STOP_STD)
        emit_fcntl();
    if (c == &rex_calls[REX_NR_futex] && !is_live)
        emit_futex();
    else if (stop == REX_STOP_STD) {
        for (int i = 0; i < 6; i++)
            if (c->fd_args & 1 << i) {
                emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[i]));
                emit(BPF_JMP | BPF_JGT | BPF_K, 1, 0, 2);
                emit_return(trace_of(c));
            }
        emit_return(SECCOMP_RET_ALLOW);
    } else if (stop == REX_STOP_ERRNO)
        emit_return(SECCOMP_RET_ERRNO | c->err);
    else
        emit_return(stop == REX_STOP_ALWAYS ? trace_of(c) : SECCOMP_RET_ALLOW);
}

/* Calls low to high - 1; the accumulator holds the number. */
static void emit_range(long low, long high)
{
    long same = low + 1;
    while (same < high && alike(low, same))
        same++;
    if (same == high) {
        emit_leaf(&rex_calls[low]);
        return;
    }
    long middle = (low + high) / 2;              /* cut where treatment changes */
    while (middle < high && alike(middle - 1, middle))
        middle++;
    if (middle == high)
        middle = same;
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)middle);
    unsigned short jump = used;
    emit(BPF_JMP | BPF_JA, 0, 0, 0);
    emit_range(low, middle);
    code[jump].k = (uint32_t)(used - jump - 1);
    emit_range(middle, high);
}

/* Called in the tracee, last before its first exec. */
void filter_install(void)
{
    used = 0;
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    emit_return(SECCOMP_RET_ERRNO | ENOSYS);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0xffffffff);   /* a call that the tracer took away */
    emit_return(SECCOMP_RET_ALLOW);
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 3, REX_CALL_COUNT);
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000);   /* x32 */
    emit_return(SECCOMP_RET_ERRNO | ENOSYS);
    emit_return(SECCOMP_RET_TRACE);                      /* newer than the table */
    emit_range(0, REX_CALL_COUNT);
    struct sock_fprog program = {used, code};
    /* root needs no promise to gain no privileges, and setuid programs keep theirs */
    if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
        return;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
        _exit(125);
}
