/* A process that shares memory with another looks, over and over, whether that has sent: first through a pair of sockets,
 * then through one of a network; a replay may need fewer looks. */
#include "guest.h"
#include <arpa/inet.h>
#include <netinet/in.h>

static int tcp[2], pair[2];

static void connect_both(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &size) == 0 && (tcp[1] = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
    CHECK(connect(tcp[1], (struct sockaddr *)&at, sizeof at) == 0 && (tcp[0] = accept(listener, NULL, NULL)) >= 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
}

static char looks(int fd)
{
    struct pollfd asked = {fd, POLLIN, 0};
    char c;
    while (poll(&asked, 1, 0) <= 0)
        usleep(300);
    CHECK(read(fd, &c, 1) == 1);
    return c;
}

int main(void)
{
    char *shared = shared_page();
    connect_both();
    pid_t worker = fork();
    for (int i = 0; i < 5 && !worker; i++) {
        nap_ms(4);
        shared[0]++;
        CHECK(write(pair[1], "p", 1) == 1 && write(tcp[1], "t", 1) == 1);
    }
    if (!worker)
        exit(0);
    for (int i = 0; i < 5; i++) {
        char first = looks(pair[0]), second = looks(tcp[0]);
        printf("%c%c\n", first, second);
    }
    wait_for(worker);
    printf("%d\n", shared[0]);
    return guest_done();
}
