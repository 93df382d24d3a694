/* A thread retries connects at random moments until a server listens. Its waits for the answer time out more or
 * less often.
 *
 * engine: native (threads)
 * shows: accept, bind, connect, getrandom, getsockname, getsockopt, listen, poll, recvfrom, setsockopt
 * source: sockets inside the experiment; random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"
#include <arpa/inet.h>
#include <sys/random.h>

enum { PORTS = 3, PARTS = 4 };
static struct sockaddr_in address[PORTS];
static char answers[PORTS][200];
static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}
static int drawn(int most)
{
    unsigned char c;
    CHECK(getrandom(&c, 1, 0) == 1);
    return c % most;
}
static void *serve(void *arg)
{
    int listener = *(int *)arg, peer = accept(listener, NULL, NULL), secret = drawn(250);
    char text[100] = "";
    size_t n = 0;
    while (n < 2 * PARTS) {
        ssize_t some = recv(peer, text + n, sizeof text - 1 - n, 0);
        CHECK(some > 0);
        n += (size_t)some;
    }
    dprintf(peer, "heard %s, secret %d", text, secret);
    CHECK(recv(peer, text, sizeof text, 0) == 0 && close(peer) == 0);
    return NULL;
}
static void server(void)
{
    pthread_t thread[PORTS];
    int listener[PORTS], on = 1;
    usleep(150000);
    for (int i = 0; i < PORTS; i++) {
        listener[i] = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(setsockopt(listener[i], SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
        CHECK(bind(listener[i], (struct sockaddr *)&address[i], sizeof address[i]) == 0 && listen(listener[i], 3) == 0);
        CHECK(pthread_create(&thread[i], NULL, serve, &listener[i]) == 0);
    }
    for (int i = 0; i < PORTS; i++)
        pthread_join(thread[i], NULL);
    exit(0);
}
static int try(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = 0;
    socklen_t size = sizeof error;
    struct pollfd p = {fd, POLLOUT, 0};
    CHECK(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address[port], sizeof address[port]) && errno != EINPROGRESS)
        error = errno;
    else
        CHECK(poll(&p, 1, 1000) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
    if (!error)
        return fd;
    CHECK(error == ECONNREFUSED && close(fd) == 0);
    return -1;
}
static void *ask(void *arg)
{
    struct pollfd p[PORTS];
    long long due[PORTS];
    int open = PORTS;
    for (int i = 0; i < PORTS; i++) {
        p[i] = (struct pollfd){-1, POLLIN, 0};
        due[i] = now_ms() + drawn(20);
    }
    while (open) {
        CHECK(poll(p, PORTS, 5) >= 0);
        for (int i = 0; i < PORTS; i++) {
            if (p[i].fd < 0 && due[i] && due[i] <= now_ms()) {
                p[i].fd = try(i);
                due[i] = now_ms() + 5 + drawn(20);
                for (int k = 0; p[i].fd >= 0 && k < PARTS; k++)
                    CHECK(dprintf(p[i].fd, "%d%d", i, k) == 2);
            } else if (p[i].fd >= 0 && p[i].revents) {
                CHECK(recv(p[i].fd, answers[i], sizeof answers[i] - 1, 0) > 0 && close(p[i].fd) == 0);
                p[i].fd = -1;
                due[i] = 0;
                open--;
            }
        }
    }
    return arg;
}
int main(void)
{
    pthread_t thread;
    int reserved[PORTS];
    for (int i = 0; i < PORTS; i++) {
        socklen_t size = sizeof address[i];
        address[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        reserved[i] = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(bind(reserved[i], (struct sockaddr *)&address[i], sizeof address[i]) == 0);
        CHECK(getsockname(reserved[i], (struct sockaddr *)&address[i], &size) == 0);
    }
    for (int i = 0; i < PORTS; i++)
        close(reserved[i]);
    if (fork() == 0)
        server();
    CHECK(pthread_create(&thread, NULL, ask, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(wait(NULL) > 0);
    for (int i = 0; i < PORTS; i++)
        printf("%d: %s\n", i, answers[i]);
    puts(TOKEN);
}
