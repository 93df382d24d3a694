/* A thread answers, writes to a file, and ends; then its process, which waits, is killed: what it wrote is there. */
#include "guest.h"

static int asked[2], answered[2];

static void *serve(void *unused)
{
    char c;
    CHECK(read(asked[0], &c, 1) == 1 && write(answered[1], &c, 1) == 1);
    usleep(5000);
    FILE *f = fopen("served.txt", "a");
    fprintf(f, "served %c\n", c);
    fclose(f);
    return unused;
}

static void server(void)
{
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve, NULL);
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    char line[100], c;
    CHECK(pipe(asked) == 0 && pipe(answered) == 0);
    pid_t child = fork();
    if (child == 0)
        server();
    for (int i = 0; i < 3; i++) {
        CHECK(write(asked[1], &"abc"[i], 1) == 1 && read(answered[0], &c, 1) == 1);
        usleep(60000);
    }
    kill(child, SIGTERM);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("ended by %d\n", WTERMSIG(status));
    FILE *f = fopen("served.txt", "r");
    while (fgets(line, sizeof line, f))
        fputs(line, stdout);
    puts(TOKEN);
    return 0;
}
