/* A program reads the time of day only if a thread is done by then, as it is earlier in a replay. Another part
 * prints it.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, gettimeofday
 * source: clocks, also by the vDSO
 */
#include "guest.h"
#include <linux/futex.h>
enum { MS = 1000000 };

static volatile int is_over;

static __attribute__((noinline)) long ask(void)
{
    struct timeval now;
    syscall(SYS_gettimeofday, &now, NULL);
    return now.tv_sec;
}

static __attribute__((noinline)) void tell(void)
{
    static struct timeval now;
    syscall(SYS_gettimeofday, &now, NULL);
    printf("it is %ld.%06ld\n", (long)now.tv_sec, (long)now.tv_usec);
}

static void *wait_vainly(void *unused)
{
    wait_in_vain(60 * MS);
    is_over = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    static int never;
    CHECK(!pthread_create(&thread, NULL, wait_vainly, NULL));
    syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &(struct timespec){0, 30 * MS}, NULL, 0);
    if (is_over)
        CHECK(ask() > 0);
    CHECK(!pthread_join(thread, NULL));
    tell();
    return guest_done();
}
