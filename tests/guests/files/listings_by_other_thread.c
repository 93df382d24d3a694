/* A runtime moves work between threads. Whichever comes first lists a directory and makes a file there.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, getdents64, mkdir
 * source: directory order; which thread does a piece of work
 */
#include "guest.h"
__asm__(".cfi_sections .debug_frame");   /* as Go's code, it has no tables for exceptions */
enum { JOBS = 6, EACH = JOBS / 2, MS = 1000000 };
static int listed[JOBS];

static long call(long nr, long a, const void *b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static int list(void)
{
    char names[2048];
    int fd = (int)call(SYS_openat, AT_FDCWD, "made", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
    CHECK(fd >= 0);
    for (long n; (n = call(SYS_getdents64, fd, names, sizeof names)) > 0; )
        for (long at = 0; at < n; at += ((struct dirent64 *)(names + at))->d_reclen)
            count++;
    CHECK(close(fd) == 0);
    return count;
}

static void *run(void *is_late)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int jobs;
    if (is_late)
        wait_in_vain(60 * MS);
    else
        nap_ms(30);
    for (int i = 0; i < EACH; i++) {
        char path[32];
        pthread_mutex_lock(&lock);
        listed[jobs] = list();
        snprintf(path, sizeof path, "made/%d", jobs++);
        put_file(path, "made");
        pthread_mutex_unlock(&lock);
    }
    return is_late;
}

int main(void)
{
    pthread_t thread[2];
    CHECK(mkdir("made", 0755) == 0);
    for (intptr_t i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < JOBS; i++)
        printf("%d names\n", listed[i]);
    return guest_done();
}
