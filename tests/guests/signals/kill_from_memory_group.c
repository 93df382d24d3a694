/* Threads open and close internal descriptors in a process that shares memory with its children. One of these is
 * killed by a sibling meanwhile.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, kill, pause, read
 * source: signals; descriptor numbers
 */
#include "guest.h"

enum { CHILDREN = 60, OTHERS = 3, LOOKS = 400 };

static void *look(void *unused)
{
    char text[64];
    for (int i = 0; i < LOOKS; i++) {
        int fd = open("/proc/uptime", O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0 && read(fd, text, sizeof text) > 0 && close(fd) == 0);
        usleep(100);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[OTHERS];
    shared_page();
    for (int i = 0; i < OTHERS; i++)
        CHECK(pthread_create(&thread[i], NULL, look, NULL) == 0);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid)
            for (;;)
                pause();
        CHECK(kill(pid, i & 1 ? SIGTERM : SIGKILL) == 0);
        printf("child %d ended by %d\n", i, WTERMSIG(wait_for(pid)));
    }
    for (int i = 0; i < OTHERS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    return guest_done();
}
