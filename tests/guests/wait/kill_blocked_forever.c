/* A thread is blocked in a call that never returns as its process is killed. Another thread has continued long
 * before.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, epoll_create1, getpid, kill, newfstatat, pipe2, read
 * source: poll, select, epoll; signals
 */
#include "guest.h"
#include <sys/epoll.h>

enum { ROUNDS = 100 };
static int line[2];
static void *waits(void *arg)
{
    struct epoll_event event;
    int epoll = epoll_create1(0);
    char word;
    CHECK(epoll >= 0 && write(line[1], "w", 1) == 1);
    epoll_wait(epoll, &event, 1, -1);
    CHECK(read(line[0], &word, 1) == 1);
    return arg;
}
static int says(int to, int own)
{
    pthread_t thread;
    char word;
    CHECK(pipe(line) == 0 && pthread_create(&thread, NULL, waits, NULL) == 0 && read(line[0], &word, 1) == 1);
    usleep(20000);
    for (int i = 0; i < ROUNDS; i++) {
        struct stat st;
        CHECK(stat("/", &st) == 0 && write(to, "s", 1) == 1);
    }
    if (own)
        kill(getpid(), SIGKILL);
    for (;;)
        pause();
}
static void hear(int own)
{
    int from[2], said = 0;
    char word;
    CHECK(pipe(from) == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(says(from[1], own));
    close(from[1]);
    while (said < ROUNDS && read(from[0], &word, 1) == 1)
        said++;
    if (!own)
        CHECK(kill(child, SIGKILL) == 0);
    printf("%d rounds, killed by %d\n", said, WTERMSIG(wait_for(child)));
}
int main(void)
{
    hear(0);
    hear(1);
    return guest_done();
}
