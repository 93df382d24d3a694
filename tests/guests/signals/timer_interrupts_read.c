/* A thread looks for ends of its children more or less often than recorded, and then reads until its timer
 * interrupts that.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, flock, gettid, pipe2, poll, read, timer_create, timer_delete, timer_settime, wait4
 * source: timers; ends and statuses of children
 */
#include "guest.h"

#include <sys/file.h>

enum { ROUNDS = 4, OTHERS = 2 };

static int pipes[OTHERS][2];

static void nothing(int sig)
{
    (void)sig;
}

static void interrupted_read(void)
{
    struct sigaction act = {.sa_handler = nothing};
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec when = {.it_value.tv_nsec = 10000000};
    timer_t timer;
    char byte;
    int ends[2];
    to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    CHECK(pipe(ends) == 0 && sigaction(SIGRTMIN + 1, &act, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &to, &timer) == 0 && timer_settime(timer, 0, &when, NULL) == 0);
    CHECK(read(ends[0], &byte, 1) < 0 && errno == EINTR);
    CHECK(timer_delete(timer) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void look_for_child(int round)
{
    int status;
    pid_t pid = fork(), ended;
    CHECK(pid >= 0);
    if (!pid) {
        usleep(2500);
        _exit(round);
    }
    while (!(ended = waitpid(pid, &status, WNOHANG)))
        usleep(300);
    printf("child %d ended with %d\n", round, WEXITSTATUS(status));
}

static void lock(void)
{
    int fd = open("lock", O_RDWR | O_CREAT, 0644);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    usleep(200);
    CHECK(close(fd) == 0);
}

static void *look(void *number)
{
    struct pollfd asked = {pipes[(intptr_t)number][0], POLLIN, 0};
    char byte;
    for (int i = 0; i < ROUNDS; i++) {
        while (poll(&asked, 1, number ? 0 : 4) <= 0)
            if (number)
                usleep(300);
        CHECK(read(asked.fd, &byte, 1) == 1);
        lock();
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        CHECK(pipe(pipes[i]) == 0 && !pthread_create(&thread[i], NULL, look, (void *)(intptr_t)i));
    for (int round = 0; round < ROUNDS; round++) {
        look_for_child(round);
        lock();
        interrupted_read();
        for (int i = 0; i < OTHERS; i++)
            CHECK(write(pipes[i][1], "x", 1) == 1);
    }
    for (int i = 0; i < OTHERS; i++)
        CHECK(!pthread_join(thread[i], NULL));
    return guest_done();
}
