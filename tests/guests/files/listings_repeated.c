/* A thread lists a directory as often as time permits, and then others by duplicated descriptors. Each listing has
 * its own directory's names.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, dup, getdents64, mkdir
 * source: directory order; which thread does a piece of work
 */
#include "guest.h"

enum { READINGS = 300 };

static volatile int is_over;

static void *nap(void *unused)
{
    nap_ms(60);
    is_over = 1;
    return unused;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void show(DIR *dir, const char *what)
{
    char *names[16];
    size_t count = 0;
    for (struct dirent *e; (e = readdir(dir)); )
        if (e->d_name[0] != '.' && count < 16)
            names[count++] = strdup(e->d_name);
    qsort(names, count, sizeof *names, compare);
    for (size_t i = 0; what && i < count; i++)
        printf("%s has %s\n", what, names[i]);
    CHECK(!closedir(dir));
}

static void show_duplicate(const char *what)
{
    int fd = open(what, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    show(fdopendir(dup(fd)), what);
    CHECK(!close(fd));
}

int main(void)
{
    pthread_t thread;
    struct timespec now;
    CHECK(!mkdir("many", 0755) && !mkdir("few", 0755));
    put_file("many/one", "1");
    put_file("many/two", "2");
    put_file("few/three", "3");
    CHECK(!pthread_create(&thread, NULL, nap, NULL));
    while (!is_over) {
        show(opendir("many"), NULL);
        for (int i = 0; i < READINGS; i++)
            CHECK(!clock_gettime(CLOCK_MONOTONIC, &now));
    }
    CHECK(!pthread_join(thread, NULL));
    show_duplicate("few");
    show_duplicate("many");
    show_duplicate(".");
    return guest_done();
}
