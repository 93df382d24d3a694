/* A job that another thread does now reads the clock. That read is not the thread's own next read.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, connect, socket
 * source: clocks, also by the vDSO; servers and clients outside the experiment
 */
#include "guest.h"
#include "outside.h"

static time_t when;
static __attribute__((noinline)) void look_when(void)
{
    struct timespec now;
    volatile char much[3000];
    much[0] = much[2999] = 1;
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    when = now.tv_sec + much[0] - much[2999];
}
int main(void)
{
    struct timespec now;
    hear_and_work(look_when);
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    printf("%lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    CHECK(when <= now.tv_sec);
    return guest_done();
}
