/* Processes make files, directories and new names that another one waits for by trying to open them. It may have opened one before
 * the call that made it has returned.
 *
 * run: racing
 * engine: native (order between processes)
 * shows: mkdir, open, openat, rename, rmdir, unlink
 * source: files written by several processes; names, renames, files without a name
 */
#include "guest.h"

enum { ROUNDS = 12 };

static void make(int round, const char *name)
{
    if (round % 3 == 0)
        put_file(name, "");
    else if (round % 3 == 1)
        CHECK(mkdir(name, 0755) == 0);
    else {
        put_file("not yet", name);
        CHECK(rename("not yet", name) == 0);
    }
}

static void find(int round, const char *name)
{
    char content[16] = "";
    int fd;
    while ((fd = open(name, O_RDONLY)) < 0)
        CHECK(errno == ENOENT);
    if (round % 3 == 2)
        CHECK(read(fd, content, sizeof content) > 0);
    printf("process %d found %s\n", round % 2, name);
    CHECK(!close(fd) && !(round % 3 == 1 ? rmdir : unlink)(name));
}

int main(void)
{
    char name[16];
    pid_t child = fork();
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(name, sizeof name, "made %d", i);
        (i % 2 == !child ? make : find)(i, name);
    }
    if (!child)
        return 0;
    CHECK(wait_for(child) == 0);
    return guest_done();
}
