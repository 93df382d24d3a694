/* Processes are forked while a thread opens pipes. The descriptors that they inherit depend on timing.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, newfstatat, pipe2, wait4
 * source: fork, clone, exec; descriptor numbers
 */
#include "guest.h"

enum { CHILDREN = 8, PIPES = 200 };
static volatile int is_done;
static void *open_more(void *arg)
{
    for (int i = 0, ends[2]; i < PIPES && !is_done; i++) {
        CHECK(pipe(ends) == 0);
        usleep(500);
    }
    return arg;
}
static int look(void)
{
    struct stat st;
    int fd = open("/dev/null", O_RDONLY);
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && close(fd) == 0 ? 7 : 8;
}
int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, open_more, NULL) == 0);
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        usleep(3000);
        pid_t pid = fork();
        if (pid == 0)
            _exit(look());
        CHECK(waitpid(pid, &status, 0) == pid);
        printf("%d: %d\n", pid, WEXITSTATUS(status));
    }
    is_done = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}
