/* Replay: what a record of the log says, whatever has happened in the replay. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"

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
