/* Replay: what a record of the log says, whatever has happened in the replay. */
#include "base/base.h"
#include "log/log.h"
#include "mode/mode.h"
#include "replay/index/index.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"

siginfo_t replay_siginfo(const struct record *r)
{
    siginfo_t info;
    memcpy(&info, record_field(r, FIELD_WHOLE, FIELD_OUT)->data, sizeof info);
    return info;
}

bool replay_is_fault(int sig)
{
    return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP || sig == SIGSYS;
}

bool replay_is_signal(const struct event *e)
{
    if (e->record->call != EVENT_SIGNAL)
        return false;
    siginfo_t info = replay_siginfo(e->record);
    return !replay_is_fault(info.si_signo) || info.si_code <= 0;
}

struct stat replay_stat_in(const struct record *opened)
{
    const struct field *f = record_field(opened, FIELD_WHOLE, FIELD_STAT);
    struct stat st = {0};
    if (f && f->length >= sizeof st)
        memcpy(&st, f->data, sizeof st);
    return st;
}

mode_t replay_kind_of(const struct record *r)
{
    return replay_stat_in(r).st_mode & S_IFMT;
}

bool replay_is_deleted(const char *resolved)
{
    size_t n = strlen(resolved);
    return n > 10 && !strcmp(resolved + n - 10, " (deleted)");
}

bool replay_executes(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    return c && c->hook == REX_HOOK_EXEC && r->result >= 0;
}

uint64_t clock_of(const struct record *r)
{
    bool is_in_us = r->call == REX_NR_gettimeofday;
    const struct field *f = record_field(r, is_in_us ? 0 : 1, FIELD_OUT);
    int64_t value[2] = {0, 0};
    if (f && f->length == sizeof value)
        memcpy(value, f->data, sizeof value);
    return (uint64_t)value[0] * 1000000000u + (uint64_t)value[1] * (is_in_us ? 1000 : 1);
}

bool replay_is_pace(long nr)
{
    return nr == REX_NR_clock_gettime && task_log_total() > 1 && !is_serialized();
}

/* The child that a wait has reported; 0: none. */
int64_t replay_waited(const struct record *r)
{
    const struct field *f;
    siginfo_t info;
    if (r->call == REX_NR_wait4)
        return r->result;
    f = record_field(r, 2, FIELD_OUT);
    if (r->result || !f || f->length < sizeof info)
        return 0;
    memcpy(&info, f->data, sizeof info);
    return info.si_pid;
}

/* What a logged query of a descriptor answered, 0 if the event is no such query. */
mode_t replay_stat_kind(const struct event *e)
{
    bool by_at = e->record->call == REX_NR_newfstatat;
    const struct field *name = record_field(e->record, 1, FIELD_IN), *f = record_field(e->record, 1 + by_at, FIELD_OUT);
    struct stat st;
    if ((!by_at && e->record->call != REX_NR_fstat) || (by_at && (!name || name->length)) || !f || f->length < sizeof st)
        return 0;
    memcpy(&st, f->data, sizeof st);
    return st.st_mode & S_IFMT;
}

/* A pipe is the same whenever it is looked at: how often depends on how much a read of it takes. */
bool replay_is_pipe_stat(const struct event *e)
{
    return replay_stat_kind(e) == S_IFIFO;
}

bool replay_is_output(uint32_t stream, long nr)
{
    return is_output(stream) && op_of(nr) == REX_OP_WRITE;
}
