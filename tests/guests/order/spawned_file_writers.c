/* Programs race to write lines to the file that is their standard output. Their maker has it under another number, and
 * spawned them without copying its memory.
 *
 * run: racing
 * live: no (its output shows who was first)
 * engine: native (order between processes)
 * shows: vfork, dup2, execve, write
 * source: files written by several processes
 */
#include "guest.h"

#include <spawn.h>

enum { WORKERS = 3, LINES = 30 };
extern char **environ;

static void put(int fd, const char *who, int number)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s%d%c", who, number, number % 10 == 9 ? '\n' : ' ');
    CHECK(write(fd, line, (size_t)n) == n);
}

static int work(const char *who)
{
    for (int i = 0; i < LINES; i++) {
        put(1, who, i);
        for (volatile int k = 0; k < 2000 * ((i + who[0]) % 4); k++) {
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return work(argv[1]);
    int log = open("log", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    CHECK(log >= 0);
    for (int round = 0; round < 3; round++) {
        pid_t pid[WORKERS];
        posix_spawn_file_actions_t out;
        CHECK(!posix_spawn_file_actions_init(&out) && !posix_spawn_file_actions_adddup2(&out, log, 1));
        for (int i = 0; i < WORKERS; i++) {
            char who[2] = {(char)('a' + i), 0}, *words[] = {argv[0], who, NULL};
            CHECK(!posix_spawn(&pid[i], "/proc/self/exe", &out, NULL, words, environ));
        }
        for (int i = 0; i < 20; i++)
            put(log, "maker", i);
        for (int i = 0; i < WORKERS; i++)
            CHECK(wait_for(pid[i]) == 0);
        posix_spawn_file_actions_destroy(&out);
    }
    show_file("log");
    return guest_done();
}
