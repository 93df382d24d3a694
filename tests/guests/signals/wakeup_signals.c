/* Signals wake a thread that waits for a pipe, until it has seen that it should end.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex, pipe2, rt_sigaction, tgkill
 * source: signals; which thread does a piece of work
 */
#include "guest.h"

static int end[2];
static volatile int should_end, has_ended, woken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void nothing(int sig)
{
    (void)sig;
}

static void *wait_on_pipe(void *unused)
{
    struct pollfd p = {.fd = end[0], .events = POLLIN};
    volatile unsigned sum = 0;
    while (!should_end && poll(&p, 1, -1) < 0) {
        woken++;
        for (unsigned i = 0; i < 3000000; i++)        /* it is not quick to look */
            sum += i;
    }
    pthread_mutex_lock(&lock);
    has_ended = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void prod(int round)
{
    pthread_t thread;
    struct timespec until;
    should_end = has_ended = woken = 0;
    CHECK(!pthread_create(&thread, NULL, wait_on_pipe, NULL));
    pthread_mutex_lock(&lock);
    should_end = 1;
    while (!has_ended) {
        pthread_kill(thread, SIGUSR1);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&changed, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    CHECK(!pthread_join(thread, NULL));
    printf("round %d: ended\n", round);
}

int main(void)
{
    struct sigaction a = {.sa_handler = nothing};
    CHECK(!pipe(end) && !sigaction(SIGUSR1, &a, NULL));
    for (int round = 0; round < 20; round++)
        prod(round);
    return guest_done();
}
