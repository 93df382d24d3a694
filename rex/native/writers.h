/* The standard output and error.  Record: the order of what goes out, see record_writers.c. */
#ifndef REX_WRITERS_H
#define REX_WRITERS_H

static inline bool is_output(uint32_t stream)
{
    return stream == 2 || stream == 3;
}

uint64_t files_outputs(const struct files *f);       /* a bit for each that is external, without those above 62 */
bool is_ordered_write(struct task *t);               /* one at a time is let in */
void writer_comes(struct task *t);                   /* it begins such a write; it may be held */
void writer_goes(struct task *t);                    /* it has written, or ended */
void speech_stops(const struct task *t);             /* a call stops: who writes without a stop no longer may, if it is another's */
void speech_went(struct task *t);                    /* a call has ended that stopped: its next writes need not, maybe */
void speech_changes(const struct files *f);          /* what is external */
void speech_forgets(const struct task *t);           /* it has no ring any more */

#endif
