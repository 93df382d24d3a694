/* Programs with threads, started by another one, connect to each other over loopback. How often they retry, and
 * query interfaces, depends on timing.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, execve, getsockname, listen, pipe2, poll, setsockopt, socket
 * source: sockets inside the experiment; fork, clone, exec
 */
#include "guest.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <spawn.h>

enum { TICKS = 40 };

static volatile int stop;

/* Comes round all the time, as an event loop with a time limit does. */
static void *come_round(void *unused)
{
    int ends[2];
    struct pollfd ready = {.events = POLLIN};
    CHECK(!pipe(ends));
    ready.fd = ends[0];
    while (!stop)
        CHECK(poll(&ready, 1, 10) == 0);
    return unused;
}

static int interfaces(void)
{
    struct ifaddrs *first;
    int loops = 0;
    CHECK(!getifaddrs(&first));
    for (struct ifaddrs *i = first; i; i = i->ifa_next)
        loops += i->ifa_addr && i->ifa_addr->sa_family == AF_INET && i->ifa_flags & IFF_LOOPBACK;
    freeifaddrs(first);
    return loops > 0;
}

static struct sockaddr_in place(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* Of nobody, until who is told listens there. */
static int free_port(void)
{
    struct sockaddr_in at = place(0);
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(!bind(fd, (void *)&at, n) && !getsockname(fd, (void *)&at, &n) && !close(fd));
    return ntohs(at.sin_port);
}

static int listened(int port)
{
    const int on = 1;
    struct sockaddr_in at = place(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0), one;
    usleep(120000);
    CHECK(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) && !bind(fd, (void *)&at, sizeof at) && !listen(fd, 4));
    CHECK(interfaces() && (one = accept(fd, NULL, NULL)) >= 0);
    return one;
}

static int connected(int port)
{
    struct sockaddr_in at = place(port);
    for (;;) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (!connect(fd, (void *)&at, sizeof at))
            return fd;
        CHECK(errno == ECONNREFUSED && !close(fd));
        usleep(3000);
    }
}

static int work(const char *role, int port)
{
    char c = 'a';
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, come_round, NULL));
    int is_server = !strcmp(role, "server"), fd = is_server ? listened(port) : connected(port);
    for (int i = 0; i < TICKS; i++) {
        CHECK(is_server || write(fd, &c, 1) == 1);
        CHECK(read(fd, &c, 1) == 1 && interfaces());
        c++;
        CHECK(!is_server || write(fd, &c, 1) == 1);
    }
    stop = 1;
    CHECK(!pthread_join(thread, NULL));
    if (is_server)
        printf("the server saw %c at last\n", c);
    return is_server ? 7 : 8;
}

static void *nothing(void *unused)
{
    return unused;
}

int main(int argc, char **argv)
{
    extern char **environ;
    char port[16];
    pid_t child[2];
    if (argc > 2)
        return work(argv[1], atoi(argv[2]));
    run_threads(1, nothing);
    snprintf(port, sizeof port, "%d", free_port());
    for (int i = 0; i < 2; i++) {
        char *args[] = {argv[0], i ? "server" : "client", port, NULL};
        CHECK(!posix_spawn(&child[i], "/proc/self/exe", NULL, NULL, args, environ));
    }
    for (int i = 0; i < 2; i++)
        printf("child %d ended with %d\n", i, WEXITSTATUS(wait_for(child[i])));
    return guest_done();
}
