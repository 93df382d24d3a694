/* Raises the stack limit and starts itself again, for a larger stack.
 *
 * shows: clock_gettime, execve, prlimit64
 * source: environment, arguments
 */
#include "guest.h"
#include <sys/resource.h>

enum { DEEP = 300 << 20, STEP = 1 << 16 };
static uint64_t deep(int left)
{
    volatile char room[STEP];
    struct timespec now;
    room[0] = (char)left;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (left > STEP ? deep(left - STEP) : 0) * 31 + (uint64_t)now.tv_nsec + (uint64_t)room[0];
}
int main(int argc, char **argv)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
    if (argc == 1 && limit.rlim_max > DEEP) {
        limit.rlim_cur = DEEP + (32 << 20);
        CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
        execl(argv[0], argv[0], "again", NULL);
        CHECK(0);
    }
    printf("%llx\n", (unsigned long long)deep(argc == 1 ? STEP : DEEP));
    return guest_done();
}
