/* A thread sends requests over a connection, a second one takes the answers and finds out which request each belongs to.
 *
 * run: outside=servers
 * engine: native (threads)
 * shows: connect, recvfrom, sendto, socket
 * source: servers and clients outside the experiment; which thread does a piece of work
 */
#include "guest.h"

enum { REQUESTS = 8, WORK = 10 * 1000 * 1000, LONGEST = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char request[REQUESTS][LONGEST];
static int sent, fd;

static void take_line(char *line)
{
    size_t n = 0;
    do
        CHECK(n + 1 < LONGEST && recv(fd, line + n, 1, 0) == 1);
    while (line[n++] != '\n');
    line[n - 1] = 0;
}

static void *take_answers(void *unused)
{
    char line[LONGEST];
    take_line(line);
    for (int i = 0; i < REQUESTS; i++) {
        take_line(line);
        pthread_mutex_lock(&lock);
        printf("%s: %s\n", line, i < sent ? "as requested" : "nobody has requested that");
        CHECK(i < sent);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    pthread_t reader;
    at.sin_port = htons((uint16_t)atoi(getenv("GUEST_PORT")));
    CHECK((fd = socket(AF_INET, SOCK_STREAM, 0)) >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    CHECK(pthread_create(&reader, NULL, take_answers, NULL) == 0);
    for (int i = 0; i < REQUESTS; i++) {
        for (volatile int k = 0; k < WORK; k++) {
        }
        int n = snprintf(request[i], LONGEST, "request %d\n", i);
        pthread_mutex_lock(&lock);
        sent++;
        pthread_mutex_unlock(&lock);
        CHECK(send(fd, request[i], (size_t)n, MSG_NOSIGNAL) == n);
    }
    CHECK(pthread_join(reader, NULL) == 0);
    return guest_done();
}
