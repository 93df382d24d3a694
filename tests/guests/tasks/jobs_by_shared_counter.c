/* Processes take jobs from a counter in shared memory, without a call. A signal ends the last one.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: access, clock_nanosleep, clone, kill, lseek, mmap, newfstatat, read, unlink, wait4
 * source: shared memory, mapped files; which thread does a piece of work
 */
#include "guest.h"
#include <stdatomic.h>

enum { WORKERS = 3, JOBS = 30 };
static struct shared { atomic_int next, stopped; int answer[JOBS]; } *shared;
static int job(int number)
{
    char name[40], text[32] = "";
    struct stat st;
    snprintf(name, sizeof name, "job%d.txt", number);
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    CHECK(fd >= 0 && dprintf(fd, "%d", number * number) > 0 && lseek(fd, 0, SEEK_SET) == 0);
    CHECK(read(fd, text, sizeof text - 1) > 0 && close(fd) == 0 && unlink(name) == 0);
    for (volatile int i = 0; i < 20000 * (number % 5); i++) {
    }
    CHECK(stat("in.txt", &st) == 0 && access("/no/such/file", F_OK) != 0);
    return atoi(text) + (int)st.st_size;
}
static void work(void)
{
    for (int i; (i = atomic_fetch_add(&shared->next, 1)) < JOBS; )
        shared->answer[i] = job(i);
    if (atomic_fetch_add(&shared->stopped, 1) < WORKERS - 1)
        _exit(0);
    for (;;)
        nap_ms(1);
}
int main(void)
{
    pid_t pid[WORKERS];
    int sum = 0, status, ended = 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    for (int i = 0; i < WORKERS; i++)
        if ((pid[i] = fork()) == 0)
            work();
    for (int i = 0; ended < WORKERS - 1 || atomic_load(&shared->stopped) < WORKERS; nap_ms(1), i = (i + 1) % WORKERS)
        if (pid[i] && waitpid(pid[i], &status, WNOHANG) == pid[i]) {
            CHECK(WIFEXITED(status));
            pid[i] = 0;
            ended++;
        }
    for (int i = 0; i < WORKERS; i++)
        if (pid[i])
            CHECK(kill(pid[i], SIGTERM) == 0 && wait_for(pid[i]) == SIGTERM);
    for (int i = 0; i < JOBS; i++)
        sum += shared->answer[i];
    printf("sum %d\n", sum);
    return guest_done();
}
