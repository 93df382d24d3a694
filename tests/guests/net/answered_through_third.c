/* A process with threads sends to a second one that never answers. That one sends to a third, whose result the
 * first polls for.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, accept4, bind, clock_nanosleep, connect, listen, pipe2, poll, read, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <sys/un.h>

enum { PARTS = 6 };
static int tcp[2], go_on[2];

static void *does_nothing(void *a)
{
    return a;
}

static void tell_third(int listener)
{
    char said[8];
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; i < PARTS; i++)
        CHECK(fd >= 0 && read(fd, said, sizeof said) == sizeof said && write(tcp[1], said, sizeof said) == sizeof said);
    exit(0);
}

static void let_first_go_on(void)
{
    char said[8];
    for (int i = 0; i < PARTS; i++) {
        run_threads(1, does_nothing);
        CHECK(read(tcp[0], said, sizeof said) == sizeof said);
        printf("third heard %.8s\n", said);
        CHECK(write(go_on[1], said, 1) == 1);
    }
    exit(0);
}

static void wait_by_looking(int fd)
{
    struct pollfd asked = {fd, POLLIN, 0};
    char c;
    while (poll(&asked, 1, 0) <= 0)
        usleep(300);
    CHECK(read(fd, &c, 1) == 1);
}

static void tell_second(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    for (int i = 0; i < PARTS; i++) {
        char said[16];
        snprintf(said, sizeof said, "part %03d", i);
        run_threads(2, does_nothing);
        CHECK(write(fd, said, 8) == 8);
        wait_by_looking(go_on[0]);
    }
    exit(0);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0 && pipe(go_on) == 0);
    connect_tcp(tcp);
    pid_t parts[3];
    for (int i = 0; i < 3; i++)
        if (!(parts[i] = fork())) {
            if (i == 1)
                tell_third(listener);
            i ? let_first_go_on() : tell_second();
        }
    for (int i = 0; i < 3; i++)
        CHECK(wait_for(parts[i]) == 0);
    return guest_done();
}
