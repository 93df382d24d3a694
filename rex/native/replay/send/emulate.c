/* Replay: a call has the result that the log has of it. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/send/send.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

/* What later calls reckon with. */
void replay_answered(struct task *t, struct event *e)
{
    answer_steps.answered(t, e);
    replay_took(e, 1);
}

void replay_emulate(struct task *t, struct event *e)
{
    int64_t result = e->record->result;
    enum rex_op op = op_of(t->nr);
    bool gives = op == REX_OP_WRITE || op == REX_OP_PWRITE || op == REX_OP_SEND, counted = gives && call_of(t->nr)->arg[1].word == REX_WORD_BUF;
    put_outputs(t, e->record);
    answer_steps.outputs_put(t, e);
    replay_send_with(t, e);
    replay_send_limit(t, e);
    skip_call(t, counted && result > (int64_t)t->args[2] ? (int64_t)t->args[2] : result);   /* never more than there was */
    replay_answered(t, e);
}
