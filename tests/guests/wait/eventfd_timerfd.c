/* Threads share an eventfd and a timerfd.
 *
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, eventfd2, poll, read, timerfd_create, timerfd_gettime, timerfd_settime
 * source: poll, select, epoll; timers
 */
#include "guest.h"
#include <sys/eventfd.h>
#include <sys/timerfd.h>

static int event;
static void *add(void *arg)
{
    uint64_t one = 3;
    (void)arg;
    nap_ms(10);
    CHECK(write(event, &one, sizeof one) == sizeof one);
    return NULL;
}
int main(void)
{
    uint64_t value;
    pthread_t thread;
    event = eventfd(2, 0);
    CHECK(event >= 0 && read(event, &value, sizeof value) == sizeof value);
    printf("event %lu\n", (long)value);
    CHECK(pthread_create(&thread, NULL, add, NULL) == 0);
    struct pollfd ready = {event, POLLIN, 0};
    CHECK(poll(&ready, 1, 5000) == 1 && read(event, &value, sizeof value) == sizeof value);
    printf("event %lu\n", (long)value);
    CHECK(pthread_join(thread, NULL) == 0);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec often = {{0, 5000000}, {0, 5000000}}, left;
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &often, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(read(timer, &value, sizeof value) == sizeof value && value > 0);
        printf("timer %lu\n", (long)value);
        if (i == 1)
            nap_ms(25);
    }
    CHECK(timerfd_gettime(timer, &left) == 0);
    printf("%ld ns left\n", left.it_value.tv_nsec);
    int semaphore = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK), count = 0;
    while (read(semaphore, &value, sizeof value) > 0)
        count++;
    printf("semaphore %d\n", count);
    return guest_done();
}
