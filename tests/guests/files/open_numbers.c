/* Threads open files made by a child, again and again, query them and read. The descriptor numbers depend on
 * timing.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, newfstatat, read, wait4
 * source: descriptor numbers; which thread does a piece of work
 */
#include "guest.h"

enum { FILES = 40, THREADS = 3, ROUNDS = 12 };
static long wrong[THREADS];

static void name_of(char *name, int i)
{
    snprintf(name, 20, "made%d", i);
}

static void make(void)
{
    char name[20];
    for (int i = 0; i < FILES; i++) {
        name_of(name, i);
        FILE *f = fopen(name, "w");
        CHECK(f);
        for (int k = 0; k <= i; k++)
            fprintf(f, "%03d\n", i);
        CHECK(fclose(f) == 0);
    }
    exit(0);
}

/* Whether the descriptor is that of the file. */
static int is_file(int fd, int i)
{
    struct stat st;
    char text[4 * FILES + 1] = "";
    ssize_t n = read(fd, text, sizeof text - 1);
    return fstat(fd, &st) == 0 && st.st_size == 4 * (i + 1) && n == st.st_size && atoi(text) == i;
}

static void *look(void *at)
{
    long who = (long *)at - wrong;
    char name[20];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = (int)who; i < FILES; i += THREADS) {
            int other = (i + 7) % FILES;
            name_of(name, i);
            int fd = open(name, O_RDONLY | O_CLOEXEC);
            name_of(name, other);
            int beside = round % 3 ? open(name, O_RDONLY | O_CLOEXEC) : -1;
            wrong[who] += !is_file(fd, i) || (beside >= 0 && !is_file(beside, other));
            CHECK(close(fd) == 0 && (beside < 0 || close(beside) == 0));
        }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    int status;
    pid_t child = fork();
    if (!child)
        make();
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, look, &wrong[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
        printf("thread %d: %ld wrong\n", i, wrong[i]);
    }
    return guest_done();
}
