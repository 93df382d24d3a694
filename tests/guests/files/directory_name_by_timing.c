/* A directory's name depends on timing. Another process changes the tree after it, while a thread waits with
 * timeouts for that.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone, clone3, mkdir, newfstatat, pipe2, read, rmdir, sched_yield, wait4
 * source: names, renames, files without a name; sleeps and timeouts
 */
#include "guest.h"

static unsigned long pace;
static char name[40];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int is_over, ticks;

static void *tick(void *unused)
{
    struct stat st;
    CHECK(stat(name, &st) == 0);          /* the log has it of another name: nobody comes for that */
    pthread_mutex_lock(&lock);
    while (!is_over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&change, &lock, &until);
        ticks++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void other(int from, int to)
{
    char byte;
    CHECK(read(from, &byte, 1) == 1);
    CHECK(mkdir("other", 0700) == 0);
    CHECK(write(to, "b", 1) == 1);
    _exit(0);
}

int main(void)
{
    int there[2], back[2], status;
    char byte = 0;
    pthread_t thread;
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (!child)
        other(there[0], back[1]);
    pace = guest_pace();
    snprintf(name, sizeof name, "made-%lu", pace);
    CHECK(mkdir(name, 0700) == 0);
    CHECK(pthread_create(&thread, NULL, tick, NULL) == 0);
    for (int enough = 0; !enough; sched_yield()) {
        pthread_mutex_lock(&lock);
        enough = ticks > 3;
        pthread_mutex_unlock(&lock);
    }
    CHECK(write(there[1], "a", 1) == 1 && read(back[0], &byte, 1) == 1);
    printf("told %c\n", byte);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    CHECK(pthread_join(thread, NULL) == 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(rmdir(name) == 0 && rmdir("other") == 0);
    return guest_done();
}
