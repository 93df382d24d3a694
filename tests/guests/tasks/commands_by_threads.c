/* Threads run commands and read their output. For each descriptor open elsewhere the limit is queried once more.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, execve, futex, pipe2
 * source: fork, clone, exec; descriptor numbers
 */
#include "guest.h"

enum { THREADS = 4, ROUNDS = 4 };
static char printed[THREADS][ROUNDS][64];

static void *runs_commands(void *number)
{
    long thread = (long)(intptr_t)number;
    for (int i = 0; i < ROUNDS; i++) {
        char line[64];
        snprintf(line, sizeof line, "echo %ld %d $$", thread, i);
        FILE *f = popen(line, "r");
        CHECK(f && fgets(printed[thread][i], sizeof *printed[thread], f) && pclose(f) == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, runs_commands, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < THREADS * ROUNDS; i++)
        fputs(printed[i / ROUNDS][i % ROUNDS], stdout);
    return guest_done();
}
