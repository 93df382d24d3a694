/* A worker takes a lock in shared memory and exits before its parent takes it (multiprocessing.Pool). A replay has
 * it the other way round.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, kill, rt_sigprocmask
 * source: ends and statuses of children; locks
 */
#include "guest.h"

#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change;
static int over;

static void *want(void *unused)
{
    struct timespec until;
    pthread_mutex_lock(&lock);
    while (!over) {
        CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
        until.tv_nsec += 5000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&change, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    sem_t *shared = shared_page();
    pthread_condattr_t how;
    pthread_t thread;
    sigset_t ends;
    CHECK(sem_init(shared, 1, 1) == 0);
    CHECK(pthread_condattr_init(&how) == 0 && pthread_condattr_setclock(&how, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&change, &how) == 0);
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (worker == 0) {
        nap_ms(100);
        CHECK(sem_wait(shared) == 0 && sem_post(shared) == 0);
        _exit(0);
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &ends, NULL) == 0 && pthread_create(&thread, NULL, want, NULL) == 0);
    wait_in_vain(600000000);
    CHECK(sem_wait(shared) == 0);
    CHECK(kill(worker, SIGTERM) == 0);
    wait_for(worker);
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_mutex_unlock(&lock);
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}
