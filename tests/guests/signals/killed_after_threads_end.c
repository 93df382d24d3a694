/* Threads query the system, write files and end; then their process is killed. Their files must be complete.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, kill, pipe2, poll, read, wait4
 * source: signals; which thread does a piece of work
 */
#include "guest.h"

static int asked[2], answered[2];

static void *serve(void *given)
{
    char c = *(char *)given;
    CHECK(write(answered[1], &c, 1) == 1);
    usleep(5000);
    char name[] = {'s', c, 0};
    FILE *f = fopen(name, "w");
    fprintf(f, "served %c\n", c);
    fclose(f);
    return NULL;
}

static void server(void)
{
    static char got[100];
    struct pollfd ready = {.fd = asked[0], .events = POLLIN};
    for (int n = 0; poll(&ready, 1, -1) == 1; n++) {
        pthread_t thread;
        CHECK(read(asked[0], got + n, 1) == 1);
        pthread_create(&thread, NULL, serve, got + n);
        pthread_detach(thread);
    }
}

int main(void)
{
    char line[100], c;
    CHECK(pipe(asked) == 0 && pipe(answered) == 0);
    pid_t child = fork();
    if (child == 0) {
        server();
        _exit(1);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(write(asked[1], &"abc"[i], 1) == 1 && read(answered[0], &c, 1) == 1);
        usleep(60000);
    }
    kill(child, SIGTERM);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("ended by %d\n", WTERMSIG(status));
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen((const char[]){'s', "abc"[i], 0}, "r");
        CHECK(f && fgets(line, sizeof line, f));
        fputs(line, stdout);
    }
    puts(TOKEN);
    return 0;
}
