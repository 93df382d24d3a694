/* One thread queues data and another sends what is there; a thread of the peer reads it. The number of sends and
 * reads depends on timing.
 *
 * engine: native (threads)
 * shows: accept, bind, connect, getpid, getsockname, listen, recvfrom, sendto, shutdown, socket
 * source: sockets inside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include <arpa/inet.h>

enum { MESSAGES = 3000, SIZE = 7 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static char queue[MESSAGES * SIZE + 1];
static size_t put;
static unsigned long long weigh(const char *text, size_t n, unsigned long long sum)
{
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + (unsigned char)text[i];
    return sum;
}
static void *serve(void *arg)
{
    int peer = accept(*(int *)arg, NULL, NULL);
    char text[4096];
    unsigned long long sum = 0;
    for (ssize_t n; (n = recv(peer, text, sizeof text, 0)) > 0; )
        sum = weigh(text, (size_t)n, sum);
    dprintf(peer, "weighs %llu, says %d", sum, getpid());
    CHECK(close(peer) == 0);
    return NULL;
}
static void server(int listener)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, serve, &listener) == 0 && pthread_join(thread, NULL) == 0);
    exit(0);
}
static void *send_all(void *arg)
{
    int fd = *(int *)arg;
    for (size_t sent = 0; sent < MESSAGES * SIZE; ) {
        pthread_mutex_lock(&lock);
        while (put == sent)
            pthread_cond_wait(&filled, &lock);
        size_t n = put - sent;
        pthread_mutex_unlock(&lock);
        ssize_t some = send(fd, queue + sent, n, 0);
        CHECK(some > 0);
        sent += (size_t)some;
    }
    CHECK(shutdown(fd, SHUT_WR) == 0);
    return arg;
}
int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_t thread;
    char text[200] = "";
    volatile unsigned long long work = 0;
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 3) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    if (fork() == 0)
        server(listener);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(pthread_create(&thread, NULL, send_all, &fd) == 0);
    for (int i = 0; i < MESSAGES; i++) {
        work += weigh(queue, sizeof queue / 8, 0);
        pthread_mutex_lock(&lock);
        snprintf(queue + put, SIZE + 1, "%07d", i);
        put += SIZE;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(recv(fd, text, sizeof text - 1, MSG_WAITALL) > 0 && wait(NULL) > 0);
    printf("%s\n%llu\n", text, weigh(queue, put, 0));
    puts(TOKEN);
}
