/* The seccomp filter: which calls stop, decided by number and, for the standard
 * streams, by descriptor.  Built from the table as a binary search over runs of
 * numbers that are treated alike. */
#include "base/base.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "fastpath/area.h"
#include "fastpath/fastpath.h"
#include "mode/mode.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/track.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { HIGHEST = 63 };

static struct sock_filter code[4096];
static unsigned short used;
static unsigned short to_trace[1024], to_trace_count;      /* jumps to the end, where calls that stop go */

static void emit(unsigned short op, unsigned char yes, unsigned char no, uint32_t k)
{
    if (used == sizeof code / sizeof *code)
        die("the seccomp filter is too long");
    code[used++] = (struct sock_filter){op, yes, no, k};
}

static void emit_return(uint32_t what)
{
    if (what == SECCOMP_RET_TRACE) {
        to_trace[to_trace_count++] = used;
        emit(BPF_JMP | BPF_JA, 0, 0, 0);
        return;
    }
    emit(BPF_RET | BPF_K, 0, 0, what);
}

/* Returns what, if the argument of 64 bits at this place is not 0; a filter loads 32 bits at a time. */
static void emit_unless_zero(size_t at, uint32_t what)
{
    for (unsigned half = 0; half < 8; half += 4) {
        emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)at + half);
        emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        emit_return(what);
    }
}

/* One task at a time: every call stops anyway, once it is traced; the first exec begins that. */
static uint32_t trace_of(const struct rex_call *c)
{
    return is_serialized() && c != &rex_calls[REX_NR_execve] ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRACE;
}

static int stop_of(const struct rex_call *c)
{
    long nr = c - rex_calls;
    return run_mode->stop_of ? run_mode->stop_of(nr, c->stop) : c->stop;
}

static uint64_t watch;                    /* a filter for these descriptors, 0 = the first one */

static bool seeks(const struct rex_call *c)
{
    return c->arg[2].word == REX_WORD_WHENCE;
}

static bool has_own_rule(long nr)
{
    enum rex_op op = op_of(nr);
    return op == REX_OP_PAGES || op == REX_OP_REMAP || op == REX_OP_PROCESS_OPTION || seeks(&rex_calls[nr]);
}

static bool alike(long a, long b)
{
    if (!watch && is_serialized() && a != b && (a == REX_NR_execve || b == REX_NR_execve))
        return false;
    if (!watch && a != b && (a == REX_NR_futex || b == REX_NR_futex || a == REX_NR_fcntl || b == REX_NR_fcntl
                             || has_own_rule(a) || has_own_rule(b) || a == REX_NR_flock || b == REX_NR_flock || a == REX_NR_mmap || b == REX_NR_mmap
                             || pipes_may_be_made(a) || pipes_may_be_made(b)))
        return false;
    if (watch && a != b && (a == REX_NR_mmap || b == REX_NR_mmap))
        return false;
    if ((run_mode->names || !watch) && a != b && (a == REX_NR_ioctl || b == REX_NR_ioctl))
        return false;
    const struct rex_call *x = &rex_calls[a], *y = &rex_calls[b];
    if (watch && stop_of(x) != REX_STOP_STD && stop_of(y) != REX_STOP_STD)
        return true;
    return stop_of(x) == stop_of(y) && x->err == y->err
        && (stop_of(x) != REX_STOP_STD || x->fd_args == y->fd_args);
}

/* The call stops where the accumulator holds this. */
static void emit_traced(const struct rex_call *c, uint32_t value)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    emit_return(trace_of(c));
}

/* Of futex only waits until a point in time: a replay's clock is not the kernel's.  Nor is who holds a lock that
 * lends priority. */
static void emit_futex(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    emit(BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x7f);
    static const uint32_t lending[] = {FUTEX_LOCK_PI, FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_LOCK_PI2};
    for (size_t i = 0; i < sizeof lending / sizeof *lending && run_mode->replays; i++) {
        emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, lending[i]);
        emit_return(trace_of(&rex_calls[REX_NR_futex]));
    }
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, FUTEX_WAIT_BITSET);
    emit_return(SECCOMP_RET_ALLOW);
    emit_unless_zero(offsetof(struct seccomp_data, args[3]), trace_of(&rex_calls[REX_NR_futex]));
    emit_return(SECCOMP_RET_ALLOW);
}

/* Processes are named by their ids, also to plain files and inner pipes: who holds a lock, who has the signals.
 * Who takes a lock, see track/shared_files.c; of a descriptor that is not to wait, see track/pipes.c; who duplicates a
 * directory, see record/descriptors.c. */
static void emit_fcntl(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    static const uint32_t watched[] = {F_GETLK, F_OFD_GETLK, F_SETOWN, F_GETOWN, F_SETOWN_EX, F_GETOWN_EX, F_SETFL,
                                       F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY};
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        emit_traced(&rex_calls[REX_NR_fcntl], watched[i]);
    static const uint32_t duplicating[] = {F_DUPFD, F_DUPFD_CLOEXEC};
    for (size_t i = 0; i < sizeof duplicating / sizeof *duplicating && run_mode->logs; i++)
        emit_traced(&rex_calls[REX_NR_fcntl], duplicating[i]);
}

/* Pipes, pairs of sockets and counters that are not to wait, as all three say in one place: see track/pipes.c. */
static void emit_made(const struct rex_call *c)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, O_NONBLOCK);
    emit_return(trace_of(c));
    emit_return(SECCOMP_RET_ALLOW);
}

/* See track/real_results.c. */
static void emit_holes(const struct rex_call *c)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[2]));
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 1, SEEK_DATA);
    emit_return(trace_of(c));
}

/* See tracee/process_options.c, engine/program_filter.c, track/real_results.c. */
static void emit_prctl(const struct rex_call *c)
{
    static const uint32_t watched[] = {PR_SET_DUMPABLE, PR_GET_DUMPABLE, PR_SET_SECCOMP, PR_GET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
                                       PR_GET_TSC};
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[0]));
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        emit_traced(c, watched[i]);
    for (const uint32_t *p = prctl_by_rights; *p && uses_log(); p++)
        emit_traced(c, *p);
    emit_return(SECCOMP_RET_ALLOW);
}

/* Locks that are taken. */
static void emit_flock(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    emit(BPF_JMP | BPF_JSET | BPF_K, 1, 0, LOCK_UN);
    emit_return(trace_of(&rex_calls[REX_NR_flock]));
    emit_return(SECCOMP_RET_ALLOW);
}

/* What may touch the engine's memory stops, see fastpath/yield.c: what is longer than 4 GiB, what begins where trampolines or
 * scratch memory are, and what reaches into the area of the fast path. */
static void emit_overlap(const struct rex_call *c, int at, int size)
{
    const uint32_t low = (uint32_t)FAST_AT, end = low + FAST_SIZE;
    static const struct { uint32_t high, end; } whole[] = {{SCRATCH_AT >> 32, SCRATCH_SIZE}, {0x5555, 0x52100000}, {0, 0x200000}};
    const size_t address = offsetof(struct seccomp_data, args[0]) + (size_t)at * 8, length = offsetof(struct seccomp_data, args[0]) + (size_t)size * 8;
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, length + 4);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
    emit_return(trace_of(c));
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, address + 4);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, whole[i].high);
        emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, address);
        emit(BPF_JMP | BPF_JGE | BPF_K, 1, 0, whole[i].end);
        emit_return(trace_of(c));
        emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, address + 4);
    }
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 10, FAST_AT >> 32);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, address);
    emit(BPF_JMP | BPF_JGE | BPF_K, 8, 0, end);
    emit(BPF_JMP | BPF_JGE | BPF_K, 6, 0, low);
    emit(BPF_MISC | BPF_TAX, 0, 0, 0);
    emit(BPF_LD | BPF_IMM, 0, 0, low);
    emit(BPF_ALU | BPF_SUB | BPF_X, 0, 0, 0);
    emit(BPF_MISC | BPF_TAX, 0, 0, 0);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, length);
    emit(BPF_JMP | BPF_JGT | BPF_X, 0, 1, 0);
    emit_return(trace_of(c));
}

static void emit_unmap(const struct rex_call *c)
{
    emit_overlap(c, 0, 1);
    if (c->op == REX_OP_REMAP)
        emit_overlap(c, 4, 2);
    emit_return(SECCOMP_RET_ALLOW);
}

/* What names a place may name one of the engine's; large files, where the kernel chooses the place: see record/large_mappings.c. */
static void emit_mmap(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[3]));
    emit(BPF_JMP | BPF_JSET | BPF_K, 5, 0, MAP_FIXED | MAP_FIXED_NOREPLACE);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[0]));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[0]) + 4);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    unsigned short jump = used;
    emit(BPF_JMP | BPF_JA, 0, 0, 0);
    emit_overlap(&rex_calls[REX_NR_mmap], 0, 1);
    code[jump].k = (uint32_t)(used - jump - 1);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[3]));
    emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, MAPPING_RIGHTS);
    emit_return(trace_of(&rex_calls[REX_NR_mmap]));
    emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, MAPPING_CHOSEN);
    emit_return(SECCOMP_RET_ALLOW);
    emit_unless_zero(offsetof(struct seccomp_data, args[0]), SECCOMP_RET_ALLOW);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]) + 4);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
    emit_return(trace_of(&rex_calls[REX_NR_mmap]));
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 1, LARGE_MAPPING);
    emit_return(trace_of(&rex_calls[REX_NR_mmap]));
    emit_return(SECCOMP_RET_ALLOW);
}

static void emit_ioctl(void)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    if (uses_log())
        emit_traced(&rex_calls[REX_NR_ioctl], FIONBIO);
    for (const struct file_ioctl *i = file_ioctls; i->command && !run_mode->names; i++)
        emit_traced(&rex_calls[REX_NR_ioctl], i->command);
    for (const uint32_t *i = process_ioctls; *i; i++)
        emit_traced(&rex_calls[REX_NR_ioctl], *i);
    emit(BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xffff);
    emit_traced(&rex_calls[REX_NR_ioctl], PIDFD_INFO);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
}

/* The standard descriptors in the first filter, in a later one those that it was made for. */
static void emit_descriptors(const struct rex_call *c)
{
    if (c == &rex_calls[REX_NR_mmap]) {          /* memory that is no file's has a descriptor of -1 */
        emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[3]));
        emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, MAP_ANONYMOUS);
        emit_return(SECCOMP_RET_ALLOW);
    }
    for (int i = 0; i < 6; i++)
        if (c->fd_args & 1 << i) {
            emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[i]));
            if (!watch || watch == EVERY_DESCRIPTOR) {
                emit(BPF_JMP | BPF_JGT | BPF_K, watch ? 0 : 1, watch ? 1 : 0, 2);
                emit_return(trace_of(c));
            } else
                for (uint32_t fd = 3; fd <= HIGHEST; fd++)
                    if (watch >> fd & 1) {
                        emit(BPF_JMP | (fd == HIGHEST ? BPF_JGE : BPF_JEQ) | BPF_K, 0, 1, fd);   /* all from there on */
                        emit_return(trace_of(c));
                    }
        }
    emit_return(SECCOMP_RET_ALLOW);
}

/* Attributes of a file that is open for reading only could be set on what is not the run's own. */
static void emit_live_ioctl(void)
{
    static const uint32_t setting[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY};
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[1]));
    for (size_t i = 0; i < sizeof setting / sizeof *setting; i++) {
        emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, setting[i]);
        emit_return(SECCOMP_RET_ERRNO | EOPNOTSUPP);
    }
}

static void emit_leaf(const struct rex_call *c)
{
    int stop = stop_of(c);
    if (run_mode->names && c == &rex_calls[REX_NR_ioctl])
        emit_live_ioctl();
    if (c == &rex_calls[REX_NR_fcntl] && stop == REX_STOP_STD && !watch)
        emit_fcntl();
    if (c == &rex_calls[REX_NR_ioctl] && stop == REX_STOP_STD && !watch)
        emit_ioctl();
    if (seeks(c) && stop == REX_STOP_STD && !watch)
        emit_holes(c);
    if (stop == REX_STOP_STD || (watch && c == &rex_calls[REX_NR_mmap] && uses_log()))
        emit_descriptors(c);
    else if (watch)
        emit_return(SECCOMP_RET_ALLOW);
    else if (pipes_may_be_made(c - rex_calls))
        emit_made(c);
    else if (c == &rex_calls[REX_NR_futex] && !run_mode->names)
        emit_futex();
    else if (c->op == REX_OP_PAGES || c->op == REX_OP_REMAP)
        emit_unmap(c);
    else if (c->op == REX_OP_PROCESS_OPTION)
        emit_prctl(c);
    else if (c == &rex_calls[REX_NR_flock] && uses_log())
        emit_flock();
    else if (c == &rex_calls[REX_NR_mmap] && uses_log())
        emit_mmap();
    else if (stop == REX_STOP_ERRNO)
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

/* Calls stop unless they come from the fast path, which logs them itself. */
static void emit_trace(void)
{
    enum { LOW = offsetof(struct seccomp_data, instruction_pointer), HIGH = LOW + 4 };
    for (unsigned short i = 0; i < to_trace_count; i++)
        code[to_trace[i]].k = (uint32_t)(used - to_trace[i] - 1);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, HIGH);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (uint32_t)(fast_allowed_ip(false) >> 32));
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, LOW);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, (uint32_t)fast_allowed_ip(false));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)fast_allowed_ip(true));
    emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRACE);
}

struct sock_fprog filter_build(uint64_t descriptors)
{
    watch = descriptors;
    used = to_trace_count = 0;
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    emit_return(SECCOMP_RET_ERRNO | ENOSYS);
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0xffffffff);   /* a call that the tracer took away */
    emit_return(SECCOMP_RET_ALLOW);
    static const uint32_t ends[][2] = {{CALL_KILLS, SECCOMP_RET_KILL_PROCESS}, {CALL_KILLS_THREAD, SECCOMP_RET_KILL_THREAD},
                                       {CALL_TRAPS, SECCOMP_RET_TRAP}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !watch; i++) {
        emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, ends[i][0]);
        emit_return(ends[i][1]);
    }
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 3, REX_CALL_COUNT);
    emit(BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000);   /* x32 */
    emit_return(SECCOMP_RET_ERRNO | ENOSYS);
    emit_return(SECCOMP_RET_TRACE);                      /* newer than the table */
    emit_range(0, REX_CALL_COUNT);
    emit_trace();
    return (struct sock_fprog){used, code};
}

/* Called in the tracee, last before its first exec. */
void filter_install(void)
{
    struct sock_fprog program = filter_build(0);
    /* root would not need it; but the kernel gives a program with an identity of its own random addresses */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, AT_FULL_SPEED, &program)
        && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))      /* kernels before 4.17, and valgrind, know no such wish */
        _exit(125);
}
