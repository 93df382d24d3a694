/* A POSIX timer that starts a thread.
 *
 * engine: native (threads)
 * shows: futex, timer_create, timer_delete, timer_settime
 * source: timers; which thread does a piece of work
 */
#include "guest.h"
#include <semaphore.h>

static sem_t fired;
static void on_timer(union sigval value)
{
    printf("timer thread: value %d\n", value.sival_int);
    sem_post(&fired);
}
int main(void)
{
    CHECK(sem_init(&fired, 0, 0) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer,
                             .sigev_value.sival_int = 7};
    timer_t timer;
    CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    struct itimerspec once = {{0, 0}, {0, 20000000}};
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
    CHECK(sem_wait(&fired) == 0);
    CHECK(timer_delete(timer) == 0);
    return guest_done();
}
