/* One process opens a name again and again. Another replaces the file each time, in turns given by pipes.
 *
 * shows: clone, pipe2, read, rename, unlink, wait4
 * source: files written by several processes
 */
#include "guest.h"

enum { ROUNDS = 60, OPENS = 4 };

static void put(const char *name, const char *text)
{
    FILE *f = fopen("new", "w");
    CHECK(f && fputs(text, f) >= 0 && !fclose(f) && !rename("new", name));
}

static void told(int fd)
{
    char c;
    CHECK(read(fd, &c, 1) == 1);
}

static void tell(int fd)
{
    CHECK(write(fd, "", 1) == 1);
}

static void write_versions(int from, int to)
{
    char text[32];
    for (int i = 0; i < ROUNDS; i++) {
        told(from);
        sprintf(text, "version %d\n", i);
        put("shared", text);
        tell(to);
    }
    _exit(0);
}

static void show(const char *name)
{
    char text[32];
    int fd = open(name, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    CHECK(n >= 0);
    text[n] = 0;
    printf("%s %s", name, fd < 0 ? "is not there\n" : text);
    if (fd >= 0)
        close(fd);
}

static void read_versions(int from, int to)
{
    for (int i = 0; i < ROUNDS; i++) {
        char own[32];
        tell(to);
        told(from);
        for (int k = 0; k < OPENS; k++)
            show("shared");
        sprintf(own, "own %d\n", i);
        if (i % 3 == 0)
            put("own", own);
        show("own");
        if (i % 3 == 1)
            CHECK(!unlink("own"));
        show("own");
    }
}

int main(void)
{
    int there[2], back[2];
    CHECK(!pipe(there) && !pipe(back));
    put("shared", "at first\n");
    if (!fork())
        write_versions(there[0], back[1]);
    read_versions(back[0], there[1]);
    CHECK(wait(NULL) > 0);
    return guest_done();
}
