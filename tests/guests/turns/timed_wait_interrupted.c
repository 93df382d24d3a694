/* The end of another thread's child interrupts a timed wait, which restarts. It ends because its futex word has
 * changed meanwhile.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clock_gettime, clone, clone3, pipe2, read
 * source: order of threads, one at a time; sleeps and timeouts
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended, taken;

static void *run_children(void *unused)
{
    for (int i = 1; i <= 20; i++) {
        int ends[2];
        char c;
        CHECK(!pipe(ends));
        pid_t child = fork();
        if (child == 0)
            _exit(i);
        CHECK(!close(ends[1]) && read(ends[0], &c, 1) == 0);   /* it is seen to end before its signal comes */
        int status = wait_for(child);
        CHECK(!close(ends[0]));
        pthread_mutex_lock(&lock);
        ended += WEXITSTATUS(status);
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until, now;
    int waits = 0;
    CHECK(!pthread_create(&thread, NULL, run_children, NULL));
    pthread_mutex_lock(&lock);
    while (taken < 20 * 21 / 2) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 10;
        while (ended == taken && pthread_cond_timedwait(&changed, &lock, &until) == 0)
            waits++;
        taken = ended;
        clock_gettime(CLOCK_REALTIME, &now);
        printf("%d after %d waits at %ld.%09ld\n", taken, waits, (long)now.tv_sec, now.tv_nsec);
    }
    pthread_mutex_unlock(&lock);
    CHECK(!pthread_join(thread, NULL));
    return guest_done();
}
