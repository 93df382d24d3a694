/* Threads share out steps with files: one looks up and makes a file, the next reads it, another removes it.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, clone3, newfstatat, read, unlink
 * source: names, renames, files without a name; which thread does a piece of work
 */
#include "guest.h"

enum { FILES = 12, STEPS = 3, THREADS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;
static long sizes[FILES];
static void do_step(int file, int step)
{
    char name[20], text[40];
    struct stat st;
    snprintf(name, sizeof name, "made%d", file);
    if (step == 0) {
        CHECK(stat(name, &st) < 0 && errno == ENOENT);
        CHECK(open(name, O_RDONLY) < 0 && errno == ENOENT);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);
        CHECK(fd >= 0 && write(fd, "some text that is long", 10 + (size_t)file) == 10 + file);
        CHECK(close(fd) == 0);
    } else if (step == 1) {
        CHECK(stat(name, &st) == 0);
        CHECK(open(name, O_WRONLY | O_CREAT | O_EXCL, 0644) < 0 && errno == EEXIST);
        int fd = open(name, O_RDONLY);
        CHECK(fd >= 0 && (sizes[file] = read(fd, text, sizeof text)) == 10 + file);
        CHECK(close(fd) == 0);
        CHECK((fd = open("/dev/null", O_RDONLY)) >= 0 && close(fd) == 0 && access("/dev/null", W_OK) == 0);
        CHECK((fd = open("/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644)) >= 0 && close(fd) == 0);
    } else
        CHECK(access(name, R_OK) == 0 && unlink(name) == 0 && access(name, R_OK) < 0);
}
static void *work(void *unused)
{
    for (int is_left = 1; is_left; ) {
        pthread_mutex_lock(&lock);
        if ((is_left = next < FILES * STEPS)) {
            do_step(next / STEPS, next % STEPS);
            next++;
        }
        pthread_mutex_unlock(&lock);
        for (volatile int k = 0; k < 20000; k++)
            ;
    }
    return unused;
}
int main(void)
{
    run_threads(THREADS, work);
    for (int i = 0; i < FILES; i++)
        printf("%ld ", sizes[i]);
    puts("");
    return guest_done();
}
