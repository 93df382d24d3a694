/* Processes without threads fetch tokens from another's threads, which race for the numbers, and return them.
 *
 * engine: native (threads)
 * shows: accept, bind, clone, clone3, connect, listen, pipe2, read, socket
 * source: sockets inside the experiment
 */
#include "guest.h"
#include <sys/un.h>

enum { CLIENTS = 4, ROUNDS = 12, CONNECTIONS = 2 * CLIENTS * ROUNDS };
struct question { int client, token; };
static struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "tokens"};
static int owner[CONNECTIONS + 1], last_token, listener;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *of)
{
    int fd = (int)(long)of;
    struct question q;
    CHECK(read(fd, &q, sizeof q) == sizeof q);
    for (volatile int i = 0; i < 20000 * (q.client % 3); i++)
        ;
    pthread_mutex_lock(&lock);
    if (!q.token)
        owner[q.token = ++last_token] = q.client;
    CHECK(owner[q.token] == q.client);
    pthread_mutex_unlock(&lock);
    CHECK(write(fd, &q, sizeof q) == sizeof q);
    close(fd);
    return NULL;
}

static void serve_all(int tell)
{
    pthread_t threads[CONNECTIONS];
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&place, sizeof place) == 0 && listen(listener, CLIENTS) == 0);
    CHECK(write(tell, "1", 1) == 1);
    for (int i = 0; i < CONNECTIONS; i++) {
        long fd = accept(listener, NULL, NULL);
        CHECK(fd >= 0 && pthread_create(&threads[i], NULL, serve, (void *)fd) == 0);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        pthread_join(threads[i], NULL);
    exit(0);
}

static struct question ask(struct question q)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&place, sizeof place) == 0);
    CHECK(write(fd, &q, sizeof q) == sizeof q && read(fd, &q, sizeof q) == sizeof q);
    close(fd);
    return q;
}

static void call(int client)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct question q = ask((struct question){client, 0});
        CHECK(q.client == client && ask(q).token == q.token);
    }
    printf("client %d is done\n", client);
    exit(0);
}

int main(void)
{
    pid_t server, clients[CLIENTS];
    int told[2];
    char byte;
    CHECK(pipe(told) == 0);
    if ((server = fork()) == 0)
        serve_all(told[1]);
    CHECK(read(told[0], &byte, 1) == 1);
    for (int i = 0; i < CLIENTS; i++)
        if ((clients[i] = fork()) == 0)
            call(i);
    for (int i = 0; i < CLIENTS; i++)
        CHECK(wait_for(clients[i]) == 0);
    CHECK(wait_for(server) == 0);
    return guest_done();
}
