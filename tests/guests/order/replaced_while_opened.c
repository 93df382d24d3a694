/* One process replaces a file by another of the same name, again and again, as editors and package managers do. Others open it
 * meanwhile, and print which of the files they found.
 *
 * run: racing
 * engine: native (order between processes)
 * shows: open, openat, rename
 * source: files written by several processes; names, renames, files without a name
 */
#include "guest.h"

enum { READERS = 3, ROUNDS = 60, OPENS = 150 };

static void replace(int round)
{
    char text[16];
    snprintf(text, sizeof text, "%d", round);
    put_file("next", text);
    CHECK(rename("next", "file") == 0);
}

/* What it printed at once would order it among the others. */
static void look(int reader)
{
    static char all[OPENS * 16];
    char text[16];
    int n = 0;
    for (int i = 0; i < OPENS; i++) {
        int fd = open("file", O_RDONLY);
        CHECK(fd >= 0);
        ssize_t size = read(fd, text, sizeof text);
        CHECK(size > 0 && !close(fd));
        n += snprintf(all + n, sizeof all - (size_t)n, " %.*s", (int)size, text);
    }
    printf("reader %d:%s\n", reader, all);
}

int main(void)
{
    pid_t readers[READERS];
    replace(0);
    for (int i = 0; i < READERS; i++)
        if (!(readers[i] = fork())) {
            look(i);
            exit(0);
        }
    for (int i = 1; i < ROUNDS; i++)
        replace(i);
    for (int i = 0; i < READERS; i++)
        CHECK(wait_for(readers[i]) == 0);
    return guest_done();
}
