/* A process with a waiting thread sends to another process, and acts by what has arrived when it looks.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clock_nanosleep, connect, listen, pipe2, poll, read, recvfrom, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <poll.h>
#include <sys/un.h>

enum { SAYS = 60, SIZE = 24 };

static int ends[2];

static void *watch(void *unused)
{
    char c;
    struct pollfd p = {ends[0], POLLIN, 0};
    while (poll(&p, 1, -1) == 1 && read(ends[0], &c, 1) == 1)
        continue;
    return unused;
}

static void tell(int listener)
{
    char said[SIZE];
    int fd = accept(listener, NULL, NULL);
    for (int heard = 0; read(fd, said, sizeof said) == sizeof said; heard++) {
        char told[SIZE] = "";
        snprintf(told, sizeof told, "event %d", heard);
        nap_ms(heard % 3);
        if (heard % 2 == 0)
            CHECK(write(fd, told, sizeof told) == sizeof told);
    }
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), drawn = 0;
    pthread_t watcher;
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0);
    pid_t teller = fork();
    if (!teller) {
        tell(listener);
        exit(0);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && pipe(ends) == 0);
    CHECK(pthread_create(&watcher, NULL, watch, NULL) == 0);
    for (int i = 0; i < SAYS; i++) {
        char said[SIZE] = "", told[SIZE];
        snprintf(said, sizeof said, "draw %d after %d", i, drawn);
        CHECK(write(fd, said, sizeof said) == sizeof said);
        for (int look = 0; look < 3; look++) {
            nap_ms(1);
            if (recv(fd, told, sizeof told, MSG_DONTWAIT) == sizeof told)
                drawn += (1 + look) * atoi(told + 6);
        }
        printf("%d:%d ", i, drawn);
    }
    puts("");
    close(ends[1]);
    close(fd);
    CHECK(pthread_join(watcher, NULL) == 0);
    wait_for(teller);
    return guest_done();
}
