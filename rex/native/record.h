#ifndef REX_RECORD_H
#define REX_RECORD_H

/* What the parts of record ask of each other, and what tracing asks of them. */

void record_start(void), record_report(void);
void record_reading(struct task *t, struct record *r), record_wait(struct task *t);    /* see record_clock.c */
void record_counter(struct task *t, bool with_aux, uint64_t *value, uint32_t *aux);
void record_opened(struct task *t, int fd, struct bytes *b);
void record_before_change(const char *path, bool moves);    /* moves: with all that is below it */
uint32_t record_named_stream(const char *name, const struct stat *st, int flags);    /* 0 = none: it is a file of the experiment */
void record_created(const char *path), record_bound(struct task *t, struct bytes *b);
void descriptor_entry(struct task *t);
void descriptor_exit(struct task *t, int64_t result);
void record_standard(struct task *t, int64_t fd);
void record_channels(struct task *t);
void record_inherited(struct task *t, struct bytes *b);   /* from outside, by the first process: streams */
void record_inherited_files(struct task *t);         /* and plain files, as if it had opened them */
bool is_descriptor_call(struct task *t), closes_pipe(struct task *t);
int record_refusal(const struct task *t, const struct rex_call *c);    /* the error, 0 = none */
bool is_unlogged(struct task *t, bool external);
mode_t kind_read_or_written(const struct task *t);    /* by its call: S_IFREG or another, 0 if it does neither */
uint64_t place_in_file(const struct task *t);         /* of its call, on a plain file: from 1 on; 0 = of another */
void record_exec_entry(struct task *t);
void record_execed(struct task *t);
bool record_signal(struct task *t, int sig);
bool record_deferred_comes(struct task *t, bool external);
bool record_awaits_call(struct task *t);
void record_release(struct task *t);
void record_forget_deferred(struct task *t), record_overdue(void);
bool record_defers(void);
void record_stepped(struct task *t);
void record_delivery(struct task *t, bool restarted, enum moment moment);
uint32_t stream_new(void);

void auxv_opened(const char *path, uint32_t stream), auxv_read(struct task *t, struct bytes *b);    /* see auxv.c */

#endif
