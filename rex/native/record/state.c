/* Record: gives back what it kept of a task. */
#include "base/base.h"
#include "mode/mode.h"
#include "record/internal.h"
#include "record/record.h"

static void freed(struct task *t)
{
    if (!has_module_state(t, RECORD_STATE))
        return;
    struct record_state *s = record_state(t);
    free(s->resolved);
    free(s->resolved2);
    free(s->creating);
    free(s->exec_instead);
    bytes_free(&s->exec);
    bytes_free(&s->pending);
}

const struct observer record_observer = {.freed = freed};
