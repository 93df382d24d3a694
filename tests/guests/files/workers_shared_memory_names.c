/* Two processes make files in turn with names of their own, which depend on timing for the first. A thread waits
 * with timeouts meanwhile.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone, clone3, pipe2, read, unlink
 * source: names, renames, files without a name; shared memory, mapped files
 */
#include "guest.h"

enum { TURNS = 5 };
static volatile int over;
static unsigned long pace;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;

static void *look(void *unused)
{
    struct timespec until;
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

static void make(const char *who, unsigned long number)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%lu", who, number);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && unlink(name) == 0 && close(fd) == 0);
}

static void answer(int in, int out)
{
    char turn;
    while (read(in, &turn, 1) == 1) {
        make("second", (unsigned long)turn);
        CHECK(write(out, &turn, 1) == 1);
    }
    _exit(0);
}

int main(void)
{
    pthread_t looks;
    int there[2], back[2];
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(there[1]);
        answer(there[0], back[1]);
    }
    CHECK(pthread_create(&looks, NULL, look, NULL) == 0);
    pace = guest_pace();
    for (char turn = 0, back_again; turn < TURNS; turn++) {
        make("first", pace + (unsigned long)turn);
        CHECK(write(there[1], &turn, 1) == 1 && read(back[0], &back_again, 1) == 1 && back_again == turn);
    }
    close(there[1]);
    CHECK(wait_for(child) == 0);
    over = 1;
    CHECK(pthread_join(looks, NULL) == 0);
    return guest_done();
}
