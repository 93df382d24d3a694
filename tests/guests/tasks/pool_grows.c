/* A pool makes one more thread if work takes long, as it does where a timer is skipped. Then a process is made.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, getpid, newfstatat, read, timerfd_create, timerfd_settime
 * source: which thread does a piece of work; fork, clone, exec
 */
#include "guest.h"
#include <pthread.h>
#include <sys/timerfd.h>

static volatile int is_done;
static void *work(void *unused)
{
    for (volatile long i = 0; i < 30000000; i++)
        ;
    is_done = 1;
    return unused;
}
static void *help(void *unused)
{
    return unused;
}
int main(void)
{
    struct itimerspec once = {.it_value = {0, 600000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t times;
    pthread_t worker, helper;
    CHECK(pthread_create(&worker, NULL, work, NULL) == 0);
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &once, NULL) == 0 && read(timer, &times, sizeof times) == sizeof times);
    if (!is_done)
        CHECK(pthread_create(&helper, NULL, help, NULL) == 0 && pthread_join(helper, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct stat st;
        CHECK(stat("in.txt", &st) == 0);
        printf("child %d: %d bytes\n", (int)getpid(), (int)st.st_size);
        fflush(stdout);
        _exit(4);
    }
    CHECK(wait_for(child) == 4 << 8 && pthread_join(worker, NULL) == 0);
    return guest_done();
}
