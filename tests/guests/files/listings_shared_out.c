/* Threads take directories from a queue and list them. Which thread lists which differs.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, getdents64, openat
 * source: directory order; which thread does a piece of work
 */
#include "guest.h"

enum { THREADS = 4, ROUNDS = 30 };

static const char *const names[] = {".", "data", "data/sub", "/proc/self/task"};
enum { NAMES = sizeof names / sizeof *names };
static int taken, found[ROUNDS * NAMES];

static void *list(void *unused)
{
    for (;;) {
        int turn = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
        if (turn >= ROUNDS * NAMES)
            return unused;
        DIR *d = opendir(names[turn % NAMES]);
        CHECK(d);
        for (struct dirent *e; (e = readdir(d)); )
            found[turn] += turn % NAMES < 3 ? (int)strlen(e->d_name) : 1;
        closedir(d);
    }
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, list, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(thread[i], NULL));
    for (int i = 0; i < 3 * ROUNDS; i++)
        if (i % NAMES < 3)
            printf("%s: %d characters\n", names[i % NAMES], found[i]);
    return guest_done();
}
