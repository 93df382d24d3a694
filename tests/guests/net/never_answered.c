/* A process with threads sends much to another one over a socket, and never gets an answer.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clock_nanosleep, clone, clone3, connect, listen, read, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <sys/un.h>

enum { PARTS = 6 };

static void *does_nothing(void *a)
{
    return a;
}

static void hear(int listener)
{
    char said[8];
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; i < PARTS; i++) {
        CHECK(fd >= 0 && read(fd, said, sizeof said) == sizeof said);
        printf("heard %.8s\n", said);
    }
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0);
    pid_t hearer = fork();
    if (!hearer) {
        hear(listener);
        exit(0);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    for (int i = 0; i < PARTS; i++) {
        char said[16];
        snprintf(said, sizeof said, "part %03d", i);
        run_threads(2, does_nothing);
        nap_ms(30);
        CHECK(write(fd, said, 8) == 8);
    }
    wait_for(hearer);
    return guest_done();
}
