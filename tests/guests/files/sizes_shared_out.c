/* Threads share out jobs and write results to files. Two processes then query the sizes of these files and read
 * them.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, lseek, mmap, newfstatat, rename, statx, unlink, wait4
 * source: inodes, sizes, times and modes of files; which thread does a piece of work
 */
#include "guest.h"

enum { JOBS = 400, THREADS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next, made;
static int take(void)
{
    pthread_mutex_lock(&lock);
    int job = next++;
    pthread_mutex_unlock(&lock);
    return job;
}
static void *work(void *unused)
{
    char name[20];
    snprintf(name, sizeof name, "part%d", __sync_fetch_and_add(&made, 1));
    FILE *part = fopen(name, "w");
    CHECK(part);
    for (int job; (job = take()) < JOBS; ) {
        for (volatile int k = 0; k < 20000; k++)
            ;
        fprintf(part, "%d\n", 1000 + job);
    }
    CHECK(fclose(part) == 0);
    return unused;
}
/* The sum of the numbers in the file, as far as the sizes that are told reach. */
static long sum_of(int file)
{
    char name[20];
    struct stat st;
    struct statx x;
    long sum = 0;
    snprintf(name, sizeof name, "kept%d", file);
    CHECK(stat(name, &st) == 0);
    int fd = open(name, O_RDONLY);
    CHECK(fd >= 0);
    off_t end = lseek(fd, 0, SEEK_END), size = st.st_size;
    CHECK(fstat(fd, &st) == 0 && statx(AT_FDCWD, name, 0, STATX_SIZE, &x) == 0);
    if (size != end || st.st_size != end || (off_t)x.stx_size != end)
        printf("file %d: %ld, %ld and %ld instead of %ld\n", file, (long)size, (long)st.st_size, (long)x.stx_size, (long)end);
    char *text = size ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    CHECK(text != MAP_FAILED);
    for (off_t at = 0; at + 5 <= size; at += 5)
        sum += atol(text + at);
    CHECK(close(fd) == 0);
    return sum;
}
static void show_sum(const char *who)
{
    long sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += sum_of(i);
    printf("%s: %ld\n", who, sum);
}
static void divide(void)
{
    char name[20], kept[20];
    run_threads(THREADS, work);
    for (int i = 0; i < THREADS; i++) {
        snprintf(name, sizeof name, "part%d", i);
        snprintf(kept, sizeof kept, "kept%d", i);
        CHECK(rename(name, kept) == 0);
    }
    show_sum("who wrote");
    exit(0);
}
int main(void)
{
    char kept[20];
    int status;
    pid_t child = fork();
    if (!child)
        divide();
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    show_sum("who reads");
    for (int i = 0; i < THREADS; i++) {
        snprintf(kept, sizeof kept, "kept%d", i);
        CHECK(unlink(kept) == 0);
    }
    return guest_done();
}
