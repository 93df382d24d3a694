/* log: the syscall log as it lies in its file (docs/formats/log.md).
 * Records and their fields, the writer with its buffer, and the iterator over a mapped log.  The index that a replay
 * needs is built in replay/index. */
#ifndef REX_LOG_LOG_H
#define REX_LOG_LOG_H

#include "base/base.h"

struct bytes;

enum special { EVENT_TASK = 0x8000, EVENT_SIGNAL, EVENT_EXIT, EVENT_TSC, EVENT_NOTE, EVENT_DUP, EVENT_SWITCH, EVENT_PIPE, EVENT_RANDOM, EVENT_SHARED,
               EVENT_MAPPED, EVENT_RESULT };
enum moment { BETWEEN_CALLS, WITH_LAST_EVENT, IN_UNSEEN_CALL, AT_NEXT_CALL, AT_UNBLOCK, AT_UNSEEN_CALL, AT_HANDLER };  /* where a signal came */
enum { DEFERRED_NS = 5000000 };  /* for so long of processor time at most one waits for a call: see record/signals.c */

enum field_type { FIELD_OUT = 1, FIELD_IN, FIELD_RESOLVED, FIELD_STAT, FIELD_ARGV, FIELD_ENVP,
                  FIELD_STACK, FIELD_SCRIPT, FIELD_TEXT, FIELD_LOADER, FIELD_INHERITED = 12, FIELD_REPEATS, FIELD_STAND_IN = 255 };  /* the last: in rings only */
enum { IS_REPEATED = 1 };            /* of a record's flags: see log/repeats.h */
enum { FIELD_WHOLE = 255, PART_NAME = 0x10, PART_DATA = 0x20, PART_CONTROL = 0x30 };

struct record {                      /* as it lies in the log */
    uint32_t size; uint16_t call, flags; uint32_t task, stream;
    int64_t result; uint64_t time; uint64_t args[6];
};
struct field { uint8_t arg, type; uint16_t zero; uint32_t length; unsigned char data[]; };

enum { IS_ARRIVAL = 1, IS_TURN = 2, IS_LAST_TURN = 3 };  /* of an event's arguments: see track/arrival_order.c, replay/pipes/arrivals.c, track/pipe_turns.c */
enum { SPEAKS_HIGH = 1, JOINS_TURNS = 2 };  /* of a process, in the result of its first event: see track/pipe_turns.c */

/* log.c */
void log_create(const char *path);
void log_begin(struct bytes *b, uint16_t call, uint32_t task);
void log_field(struct bytes *b, uint8_t arg, uint8_t type, const void *data, size_t n);
void log_end(struct bytes *b);  /* writes and empties b */
struct log_place { uint64_t at; bool is_kept; struct log_place *next; };  /* in the log, of an event to come */
void log_keep_place(struct log_place *p), log_drop_place(struct log_place *p);  /* at the end as it is now */
void log_keep_behind(struct log_place *p, const struct log_place *of);  /* behind the event that was written there */
void log_end_at(struct bytes *b, struct log_place *p);  /* as log_end(); where the place was kept, if it was */
void log_put(const void *record, size_t n);
void log_note(uint32_t task, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_flush(void), log_close(void);
uint64_t log_now(void), log_stamp(void), log_start(void);
extern uint64_t log_events, log_records;   /* a record has several events if it is repeated */
extern bool log_is_plain;             /* the log that is replayed has only what calls show: the reference engine wrote it */
const struct field *record_field(const struct record *r, uint8_t arg, uint8_t type);
char *record_text(const struct record *r, uint8_t arg, uint8_t type);
const struct field *field_next(const struct record *r, const struct field *f);
const unsigned char *log_map(const char *path, size_t *size);  /* the whole file; its header is checked */
const struct record *log_next(const unsigned char *data, size_t size, size_t *at);  /* the next whole record from *at on, NULL at the end; at the start *at is 0 */
bool log_is_serialized(void);                        /* of the log that is mapped: one task ran at a time */
void log_clock_start(void);  /* log_now() counts from here */

#endif
