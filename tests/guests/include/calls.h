/* Calls by number, whatever the C library makes of them. */
#ifndef CALLS_H
#define CALLS_H
#include "guest.h"

/* Newer than the C library's headers may be. */
enum { NR_set_mempolicy_home_node = 450, NR_cachestat, NR_fchmodat2, NR_futex_wake = 454, NR_futex_wait, NR_futex_requeue, NR_mseal = 462,
       NR_setxattrat, NR_listxattrat = 465, NR_removexattrat, NR_file_getattr = 468, NR_file_setattr };

/* Makes a call and prints its result. */
#define CALL(nr, ...) print_result(#nr, syscall(nr, ##__VA_ARGS__))

static inline long print_result(const char *name, long result)
{
    printf("%s: %ld%s%s\n", strchr(name, '_') + 1, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
    return result;
}

#endif
