/* Processes race to write lines to inherited files, appending or at a shared position. Before and after, one
 * writes alone.
 *
 * run: racing
 * live: no (its output shows who was first)
 * engine: native (order between processes)
 * shows: clone, newfstatat, openat, write
 * source: files written by several processes
 */
#include "guest.h"

enum { WORKERS = 3, LINES = 30 };
static void put(int fd, const char *who, int number)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s%d%c", who, number, number % 10 == 9 ? '\n' : ' ');
    CHECK(write(fd, line, (size_t)n) == n);
}
static void work(int worker, int log, int common)
{
    char who[2] = {(char)('a' + worker), 0};
    for (int i = 0; i < LINES; i++) {
        put(i % 3 ? log : common, who, i);
        for (volatile int k = 0; k < 2000 * ((i + worker) % 4); k++) {
        }
    }
    _exit(0);
}
static void show_size(const char *name)
{
    struct stat st;
    CHECK(stat(name, &st) == 0);
    printf("%s has %ld bytes\n", name, (long)st.st_size);
}
int main(void)
{
    pid_t pid[WORKERS];
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644), common = open("common", O_WRONLY | O_CREAT, 0644);
    CHECK(log >= 0 && common >= 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++)
            put(i & 1 ? log : common, "alone", i);
        for (int i = 0; i < WORKERS; i++)
            if ((pid[i] = fork()) == 0)
                work(i, log, common);
        for (int i = 0; i < 20; i++)
            put(i & 1 ? log : common, "parent", i);
        for (int i = 0; i < WORKERS; i++)
            CHECK(wait_for(pid[i]) == 0);
    }
    show_size("log");
    show_size("common");
    show_file("log");
    show_file("common");
    return guest_done();
}
