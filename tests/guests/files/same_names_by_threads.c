/* Threads make and remove the same directories and links. One succeeds, and the others get EEXIST or ENOENT and
 * rely on it.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, link, mkdir, newfstatat, unlink
 * source: names, renames, files without a name; which thread does a piece of work
 */
#include "guest.h"

enum { THREADS = 4, ROUNDS = 25 };
static pthread_barrier_t all_made;
static int made, linked, removed;

static void make(const char *path, const char *file)
{
    struct stat s;
    CHECK(stat(path, &s) == 0 || errno == ENOENT);
    if (mkdir(path, 0755) == 0)
        __sync_fetch_and_add(&made, 1);
    else
        CHECK(errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode));
    put_file(file, "one of many\n");
}

static void put_in_place(const char *file, const char *place)
{
    struct stat s;
    if (link(file, place) == 0)
        __sync_fetch_and_add(&linked, 1);
    else
        CHECK(errno == EEXIST && stat(place, &s) == 0 && S_ISREG(s.st_mode));
    CHECK(unlink(file) == 0);
}

static void *work(void *which)
{
    char path[32], file[64], place[32];
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(path, sizeof path, "made%d", i);
        snprintf(file, sizeof file, "made%d/by%ld", i, (long)which);
        snprintf(place, sizeof place, "place%d", i);
        make(path, file);
        put_in_place(file, place);
    }
    pthread_barrier_wait(&all_made);
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(place, sizeof place, "place%d", i);
        if (unlink(place) == 0)
            __sync_fetch_and_add(&removed, 1);
        else
            CHECK(errno == ENOENT);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    CHECK(pthread_barrier_init(&all_made, NULL, THREADS) == 0);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    printf("made %d, linked %d, removed %d\n", made, linked, removed);
    return guest_done();
}
