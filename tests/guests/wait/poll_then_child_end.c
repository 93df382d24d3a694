/* A process with threads polls for their data, more or less often, and at last for the end of a child.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, pipe2, poll, read, wait4
 * source: poll, select, epoll; ends and statuses of children
 */
#include "guest.h"

enum { PARTS = 12 };
static int ends[2];
static volatile sig_atomic_t ended;

static void on_end(int sig)
{
    (void)sig;
    ended = 1;
}

static void *write_parts(void *unused)
{
    for (int i = 0; i < PARTS; i++) {
        CHECK(write(ends[1], "x", 1) == 1);
        if (i % 3 == 0)
            usleep(1000);
    }
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_end};
    struct pollfd ready;
    pthread_t thread;
    char part[PARTS];
    CHECK(pipe2(ends, O_NONBLOCK) == 0 && sigaction(SIGCHLD, &action, NULL) == 0);
    ready = (struct pollfd){.fd = ends[0], .events = POLLIN};
    for (int round = 0; round < 5; round++) {
        ended = 0;
        pthread_create(&thread, NULL, write_parts, NULL);
        for (ssize_t had = 0, n; had < PARTS; had += n > 0 ? n : 0)
            n = poll(&ready, 1, -1) == 1 ? read(ends[0], part, sizeof part) : 0;
        pthread_join(thread, NULL);
        pid_t child = fork();
        if (child == 0) {
            usleep(3000);
            _exit(3);
        }
        int status, n = 0;
        while (!ended)
            n = poll(&ready, 1, -1);
        printf("%d: %d, %d\n", round, n, waitpid(child, &status, WNOHANG) == child && WEXITSTATUS(status) == 3);
    }
    puts(TOKEN);
    return 0;
}
