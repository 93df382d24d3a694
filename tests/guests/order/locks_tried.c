/* Processes try locks without waiting, on read-only files and a directory. The output shows who held each, and how
 * often a try failed.
 *
 * run: racing
 * live: no (its output shows who was first)
 * engine: native (order between processes)
 * shows: clone, flock, openat, sched_yield, write
 * source: locks
 */
#include "guest.h"
#include <sys/file.h>

enum { WORKERS = 3, ROUNDS = 40 };
static int tally;
static void note(const char *what, int worker)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s%d ", what, worker);
    CHECK(write(tally, line, (size_t)n) == n);
}
static void work(int worker)
{
    int one = open("one.lock", O_RDONLY), two = open("two.lock", O_RDONLY), place = open(".", O_RDONLY | O_DIRECTORY);
    int vain = 0, shared = 0;
    CHECK(one >= 0 && two >= 0 && place >= 0);
    for (int i = 0; i < ROUNDS; i++) {
        if (flock(one, LOCK_EX | LOCK_NB)) {
            CHECK(errno == EWOULDBLOCK);
            vain++;
            sched_yield();
            continue;
        }
        CHECK(flock(two, LOCK_EX) == 0 && flock(place, LOCK_EX) == 0);
        note("", worker);
        CHECK(flock(place, LOCK_UN) == 0 && flock(two, LOCK_SH) == 0 && flock(two, LOCK_UN) == 0 && flock(one, LOCK_UN) == 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (flock(two, LOCK_SH | LOCK_NB) == 0) {
            shared++;
            if (flock(two, LOCK_EX | LOCK_NB) == 0)
                note("up", worker);       /* nobody shared it */
            CHECK(flock(two, LOCK_UN) == 0);
        }
    }
    printf("worker %d: %d in vain, %d shared\n", worker, vain, shared);
    CHECK(flock(two, LOCK_EX) == 0);
    note("last", worker);
    if (worker == 1)
        raise(SIGKILL);
    exit(0);
}
int main(void)
{
    pid_t pid[WORKERS];
    put_file("one.lock", "same");
    put_file("two.lock", "same");
    CHECK((tally = open("tally", O_WRONLY | O_CREAT, 0644)) >= 0);
    for (int i = 0; i < WORKERS; i++)
        if ((pid[i] = fork()) == 0)
            work(i);
    for (int i = 0; i < WORKERS; i++)
        wait_for(pid[i]);
    show_file("tally");
    return guest_done();
}
