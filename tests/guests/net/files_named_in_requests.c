/* Clients write a file and send its name to a server with threads, which reads the file and answers. The server may have a
 * request before the client's call has returned.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, listen, openat, poll, read, recvfrom, socket, write
 * source: sockets inside the experiment; files written by several processes
 */
#include "guest.h"
#include <sys/un.h>

enum { CLIENTS = 2, ROUNDS = 12, SIZE = 32 };

static void *serve(void *connection)
{
    int fd = (int)(intptr_t)connection, file;
    char name[SIZE], content[SIZE] = "";
    while (read(fd, name, SIZE) == SIZE) {
        CHECK((file = open(name, O_RDONLY)) >= 0 && read(file, content, SIZE) > 0 && !close(file));
        CHECK(write(fd, content, SIZE) == SIZE);
    }
    CHECK(!close(fd));
    return NULL;
}

static void call(const struct sockaddr_un *at, int client)
{
    char name[SIZE] = "", content[SIZE];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct pollfd answer = {fd, POLLIN, 0};
    CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(name, SIZE, "file %d of client %d", i, client);
        put_file(name, name + 5);
        CHECK(write(fd, name, SIZE) == SIZE);
        while (recv(fd, content, SIZE, MSG_DONTWAIT) != SIZE)
            CHECK(poll(&answer, 1, 10000) == 1);
        printf("%s\n", content);
    }
    exit(0);
}

int main(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    pthread_t thread[CLIENTS];
    pid_t client[CLIENTS];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 && listen(fd, CLIENTS) == 0);
    for (int i = 0; i < CLIENTS; i++)
        if ((client[i] = fork()) == 0)
            call(&at, i);
    for (int i = 0; i < CLIENTS; i++) {
        int one = accept(fd, NULL, NULL);
        CHECK(one >= 0 && !pthread_create(&thread[i], NULL, serve, (void *)(intptr_t)one));
    }
    for (int i = 0; i < CLIENTS; i++)
        CHECK(wait_for(client[i]) == 0 && !pthread_join(thread[i], NULL));
    return guest_done();
}
