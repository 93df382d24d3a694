/* Makes calls of all kinds through syscall(), whose site becomes a jump: a sixth argument, children, and an
 * interrupted wait.
 *
 * engine: native (threads)
 * shows: clock_gettime, exit_group, ftruncate, getpid, getppid, gettid, mmap, pipe2, setitimer, wait4
 * source: clocks, also by the vDSO
 */
#include "guest.h"

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
    (void)sig;
    alarms++;
}

static void ask_often(void)
{
    struct timespec t;
    for (int i = 0; i < 500; i++) {
        CHECK(syscall(SYS_getppid) == getppid());
        CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t) == 0);
    }
}

static void *thread(void *arg)
{
    pid_t *mine = arg;
    *mine = (pid_t)syscall(SYS_gettid);
    for (int i = 0; i < 500; i++)
        CHECK(syscall(SYS_gettid) == *mine);
    return NULL;
}

int main(void)
{
    ask_often();
    printf("pid %ld tid %ld\n", syscall(SYS_getpid), syscall(SYS_gettid));

    long fd = syscall(SYS_openat, AT_FDCWD, "made", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && syscall(SYS_write, fd, "hello", 5) == 5 && syscall(SYS_ftruncate, fd, 8192) == 0);
    char *p = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096L);
    CHECK(p != MAP_FAILED && p[0] == 0);
    char *q = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, fd, 0L);
    CHECK(q != MAP_FAILED && !memcmp(q, "hello", 5));

    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval soon = {.it_value = {0, 50000}};
    CHECK(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &soon, NULL));
    int pipes[2];
    char byte;
    CHECK(!pipe(pipes) && syscall(SYS_read, pipes[0], &byte, 1) == -1 && alarms == 1);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(syscall(SYS_write, pipes[1], "x", 1) == 1);
        syscall(SYS_exit_group, 7);
    }
    int status;
    CHECK(syscall(SYS_read, pipes[0], &byte, 1) == 1 && byte == 'x');
    CHECK(syscall(SYS_wait4, child, &status, 0, NULL) == child && WEXITSTATUS(status) == 7);

    pthread_t threads[3];
    pid_t numbers[3];
    for (int i = 0; i < 3; i++)
        CHECK(!pthread_create(&threads[i], NULL, thread, &numbers[i]));
    for (int i = 0; i < 3; i++) {
        CHECK(!pthread_join(threads[i], NULL));
        printf("thread %d\n", numbers[i]);
    }
    ask_often();
    printf("%s\n", TOKEN);
    return 0;
}
