/* Threads wait for a pipe and for connections while children end. The kernel may deliver SIGCHLD to any thread, so
 * that order shows.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: accept, bind, connect, dup, getsockname, listen, pipe2, recvfrom, socket, wait4
 * source: order of threads, one at a time; ends and statuses of children
 */
#include "guest.h"
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { READERS = 4, CHILDREN = 4, ROUNDS = 25 };
static int inner[2], server, got;
static char who[READERS * ROUNDS * CHILDREN + 1];
static void *reads(void *own)
{
    char c;
    while (read(inner[0], &c, 1) == 1 && c != 'e')
        who[got++] = (char)('0' + (char *)own - who);
    return NULL;
}
static void *accepts(void *unused)
{
    for (int fd; (fd = accept(server, NULL, NULL)) >= 0 && recv(fd, who + sizeof who - 1, 1, 0) == 0; close(fd))
        printf("accepted %d\n", fd);
    return unused;
}
static void *bears(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int spare = dup(server);
        pid_t child[CHILDREN];
        for (int k = 0; k < CHILDREN; k++)
            if ((child[k] = fork()) == 0) {
                usleep((useconds_t)(100 * k));
                CHECK(write(inner[1], "x", 1) == 1);
                _exit(0);
            }
        close(spare);
        for (int k = 0; k < CHILDREN; k++)
            CHECK(waitpid(child[k], NULL, 0) == child[k]);
    }
    return unused;
}
int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    pthread_t reader[READERS], acceptor, mother[2];
    server = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(!pipe(inner) && !bind(server, (void *)&at, n) && !listen(server, ROUNDS) && !getsockname(server, (void *)&at, &n));
    for (int i = 0; i < READERS; i++)
        CHECK(!pthread_create(&reader[i], NULL, reads, who + i));
    CHECK(!pthread_create(&acceptor, NULL, accepts, NULL));
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&mother[i], NULL, bears, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        int own = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(!connect(own, (void *)&at, sizeof at));
        close(own);
        usleep(500);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(mother[i], NULL);
    for (int i = 0; i < READERS; i++)
        CHECK(write(inner[1], "e", 1) == 1);
    for (int i = 0; i < READERS; i++)
        pthread_join(reader[i], NULL);
    printf("%d: %.*s\n", got, got, who);
    return guest_done();
}
