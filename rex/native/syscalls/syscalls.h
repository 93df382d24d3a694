/* syscalls: what a call is, by its number and arguments alone.
 * generated.h comes from rex/syscalls/table.py; calls.c adds classes of calls (waits for readiness, reads or writes
 * a pipe, lists a directory, ...).  A new fact about a call belongs into the table first. */
#ifndef REX_SYSCALLS_SYSCALLS_H
#define REX_SYSCALLS_SYSCALLS_H

#include <linux/mman.h>

#include "syscalls/generated.h"
#include "base/base.h"

#define NO_CALL ((long)-1)

struct name_args { int dirfd, path, dirfd2, path2; };   /* which arguments name files, -1: none */

enum ipc_kind { IPC_MEMORY, IPC_SEMAPHORES, IPC_MESSAGES };
enum { LARGE_MAPPING = 2 << 20 };  /* a huge page */
enum { PIDFD_INFO = 0xff0b };              /* of an ioctl request the part that tells no size, which grows with the kernel */
#define MAPPING_RIGHTS (MAP_LOCKED | MAP_HUGETLB)                                      /* what may be refused for want of rights or memory */
#define MAPPING_CHOSEN (MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE)               /* no file, or a place is given */

/* calls.c */
const struct rex_call *call_of(long nr);
enum rex_op op_of(long nr);  /* REX_OP_NONE of calls with one form */
struct name_args name_args(long nr);
int arg_of(long nr, enum rex_word word);  /* the first argument of that kind, -1: it has none */
int lookup_flags(long nr, const uint64_t *args);  /* AT_...; 0 where it has none */
unsigned rename_flags(long nr, const uint64_t *args);  /* RENAME_...; 0 where it has none */
bool follows_last(long nr, const uint64_t *args);  /* a symbolic link, as its last name */
bool has_limit(long nr, const uint64_t *args);  /* on how long it may wait */
bool has_limit_in_ms(const struct rex_call *c);  /* by its number, not by a pointer to a time */
bool tries_socket(long nr, const uint64_t *args);  /* takes what has come, and does not wait */
bool only_looks(long nr, const uint64_t *args);  /* does not wait for what is ready */
bool is_interrupted(int64_t result);  /* by a signal: the kernel may restart the call */
bool is_readiness_wait(const struct rex_call *c);  /* poll, select, epoll_wait and others of that kind */
bool is_over_by_time(const struct rex_call *c, int64_t result);
bool lists_directory(long nr);  /* of a directory, which has an end */
bool pipe_takes(long nr);
bool pipe_gives(long nr);
bool is_lock_number(uint64_t nr);
const struct rex_ioctl *ioctl_of(unsigned cmd);  /* NULL: its number alone determines what it moves */
bool answers_descriptor(long nr, const uint64_t *args);  /* its result, or what it stores, is a new one */

/* sysv_calls.c */
enum ipc_kind ipc_kind(long nr);
bool ipc_gets(long nr);  /* the number of one by its key, or makes it */
bool ipc_operates(long nr);  /* on semaphores */
int ipc_command(long nr, const uint64_t *args);  /* of a call that controls one, -1 of others */
bool ipc_sets(long nr, const uint64_t *args);  /* values of semaphores */

#endif
