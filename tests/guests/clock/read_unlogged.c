/* A late thread found everything done and read no clock. In a replay it is earlier, reads the clock, and waits
 * until a time.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, pipe2, read
 * source: clocks, also by the vDSO
 */
#include "guest.h"

static volatile int over;
static int slow[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;

static void *look(void *unused)
{
    char go;
    struct timespec until;
    CHECK(read(slow[0], &go, 1) == 1);
    pthread_mutex_lock(&lock);
    while (!over) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&end, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    CHECK(pipe(slow) == 0);
    pid_t child = fork();
    if (child == 0) {
        nap_ms(1500);
        CHECK(write(slow[1], "x", 1) == 1);
        _exit(0);
    }
    CHECK(pthread_create(&thread, NULL, look, NULL) == 0);
    for (volatile int n = 0; n < 60000000; n++) {
    }
    over = 1;
    CHECK(pthread_join(thread, NULL) == 0 && wait_for(child) == 0);
    return guest_done();
}
