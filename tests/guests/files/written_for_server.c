/* A client writes a file and tells a server, which reads it, many times. One descriptor stood for standard output
 * meanwhile, as in a shell.
 *
 * engine: native (order between processes)
 * shows: accept, bind, connect, dup, dup2, fcntl, getsockname, listen, socket, wait4
 * source: files written by several processes; sockets inside the experiment
 */
#include "guest.h"

enum { ROUNDS = 24, NAMES = 3, LINES = 400 };

static void say(int fd, int round)
{
    FILE *f = fdopen(fd, "w");
    for (int i = 0; i < LINES; i++)
        CHECK(fprintf(f, "round %d line %d\n", round, i) > 0);
    CHECK(!fclose(f));
}

static void write_file(int round)
{
    char name[16];
    sprintf(name, "file%d", round % NAMES);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CHECK(fd >= 0);
    if (round % 2) {
        say(fd, round);
        return;
    }
    int kept = fcntl(1, F_DUPFD, 10);
    CHECK(dup2(fd, 1) == 1 && !close(fd));
    say(dup(1), round);
    CHECK(dup2(kept, 1) == 1 && !close(kept));
}

static void show(int round)
{
    char name[16], text[32768];
    sprintf(name, "file%d", round);
    FILE *f = fopen(name, "r");
    CHECK(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    printf("%s has %zu bytes, first %.*s\n", name, n, (int)strcspn(text, "\n"), text);
    fclose(f);
}

static void serve(int listener)
{
    for (int i = 0; i < ROUNDS; i++) {
        char number;
        int fd = accept(listener, NULL, NULL);
        CHECK(fd >= 0 && read(fd, &number, 1) == 1);
        show(number);
        CHECK(write(fd, "!", 1) == 1 && !close(fd));
    }
    _exit(0);
}

int main(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(!bind(listener, (void *)&a, n) && !listen(listener, 4) && !getsockname(listener, (void *)&a, &n));
    if (!fork())
        serve(listener);
    for (int i = 0; i < ROUNDS; i++) {
        char number = (char)(i % NAMES), answer;
        write_file(i);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(!connect(fd, (void *)&a, n) && write(fd, &number, 1) == 1 && read(fd, &answer, 1) == 1 && !close(fd));
    }
    CHECK(wait(NULL) > 0);
    return guest_done();
}
