/* One thread begins to list a directory, and another continues.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, getdents64, mkdir, sched_yield
 * source: directory order; which thread does a piece of work
 */
#include "guest.h"

enum { ROUNDS = 40, WORKERS = 3, ENTRIES = 24, ROOM = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int dir = -1, found, ended, rounds_over;

/* As such a runtime calls, not by the C library. */
static long call(long nr, long a, const void *b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static void *list_on(void *unused)
{
    char entries[ROOM];
    pthread_mutex_lock(&lock);
    while (!ended) {
        if (dir < 0) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        long n = call(SYS_getdents64, dir, entries, sizeof entries);
        CHECK(n >= 0);
        for (long at = 0; at < n; at += ((struct dirent64 *)(entries + at))->d_reclen)
            found++;
        if (n == 0) {
            CHECK(close(dir) == 0);
            dir = -1;
            rounds_over++;
            pthread_cond_broadcast(&changed);
        }
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker[WORKERS];
    char name[32];
    CHECK(mkdir("listed", 0755) == 0);
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(name, sizeof name, "listed/entry%d", i);
        put_file(name, "");
    }
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&worker[i], NULL, list_on, NULL) == 0);
    pthread_mutex_lock(&lock);
    for (int round = 0; round < ROUNDS; round++) {
        dir = (int)call(SYS_openat, AT_FDCWD, "listed", O_RDONLY | O_DIRECTORY);
        CHECK(dir >= 0);
        pthread_cond_broadcast(&changed);
        while (rounds_over == round)
            pthread_cond_wait(&changed, &lock);
    }
    ended = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(worker[i], NULL) == 0);
    printf("%d entries in %d rounds\n", found, ROUNDS);
    return guest_done();
}
