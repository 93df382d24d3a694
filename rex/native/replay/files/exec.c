/* Replay: executing programs of the archive, with the arguments and the stack that the log has. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/rules/rules.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* Threads race for the numbers of descriptors, which a child may get as an argument. */
static bool has_other_arguments(struct task *t, const struct record *r)
{
    int at = name_args(t->nr).path + 1;
    const struct field *f = record_field(r, (uint8_t)(name_args(r->call).path + 1), FIELD_ARGV);
    struct bytes now = {0};
    mem_strings(t->tid, t->args[at], &now);
    bool differs = f && (f->length != now.used || memcmp(f->data, now.data, now.used));
    bytes_free(&now);
    return differs;
}

/* Where the program is that a descriptor stands for; NULL: it is named. */
static char *held_program(const struct task *t)
{
    bool is_held = name_args(t->nr).dirfd >= 0 && t->path && !*t->path;
    return is_held ? text("/proc/%d/fd/%d", t->leader->tid, (int)t->args[0]) : NULL;
}

void replay_exec(struct task *t, struct event *e)
{
    if (e->record->result < 0) {
        replay_emulate(t, e);
        return;
    }
    if (!scratch_ready(t))
        return;
    char *resolved = record_text(e->record, FIELD_WHOLE, FIELD_RESOLVED);
    char *loader = record_text(e->record, FIELD_WHOLE, FIELD_LOADER);
    char *held = held_program(t), *file = resolved ? overlay_program(resolved, loader, held) : NULL;
    if (!file) {
        replay_diverged(t, e, "the program is not in the archive");
        skip_call(t, -ENOENT);
        replay_done(e);
    } else {
        int first = name_args(t->nr).path + 1;
        file_state(t)->has_own_arguments = has_other_arguments(t, e->record);
        struct user_regs_struct r = t->regs;
        r.orig_rax = REX_NR_execve;
        r.rdi = scratch_put(t, file, strlen(file) + 1);
        r.rsi = t->args[first];
        r.rdx = t->args[first + 1];
        regs_set(t, &r);
        exec_stack_raise(t);
        t->want_exit = true;
    }
    free(resolved);
    free(loader);
    free(held);
    free(file);
}

void replay_execed(struct task *t)
{
    const struct record *r = t->matched ? t->matched->record : NULL;
    const struct field *f = r ? record_field(r, FIELD_WHOLE, FIELD_STACK) : NULL;
    struct stack live = {0};
    exec_stack_restore(t);
    if (f && file_state(t)->has_own_arguments)
        stack_adopt(t, f->data, f->length);
    else if (f)
        stack_restore(t, r->args[3], f->data, f->length);
    if (stack_read(t, &live))
        stack_hide_vdso(t, &live);
    bytes_free(&live.image);
    if (t->matched)
        replay_done(t->matched);
}
