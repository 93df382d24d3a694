/* Uses chains of symbolic links, loops, and hard links through which a file changes.
 *
 * live: yes
 * shows: link, newfstatat, readlink, symlink, unlink
 * source: inodes, sizes, times and modes of files; names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char text[64], name[32], target[32];
    struct stat s;
    CHECK(symlink("in.txt", "l0") == 0);
    for (int i = 1; i < 20; i++) {
        snprintf(name, sizeof name, "l%d", i);
        snprintf(target, sizeof target, "%sl%d", i % 2 ? "./" : "data/../", i - 1);
        CHECK(symlink(target, name) == 0);
    }
    show_file("l19");
    CHECK(lstat("l19", &s) == 0);
    printf("link of %ld bytes\n", (long)s.st_size);
    put_file("l10", "written through links\n");
    show_file("in.txt");
    CHECK(symlink("loop2", "loop1") == 0 && symlink("loop1", "loop2") == 0);
    CHECK(open("loop1", O_RDONLY) == -1 && errno == ELOOP);
    CHECK(symlink("none", "dangling") == 0 && open("dangling", O_RDONLY) == -1);
    put_file("dangling", "made by a link");
    show_file("none");
    CHECK(symlink("data/sub", "deep") == 0);
    show_file("deep/c.txt");
    show_file("deep/../a.txt");
    char *real = realpath("deep/c.txt", NULL);
    printf("real %s\n", real);
    CHECK(link("data/a.txt", "hard") == 0 && link("hard", "deep/harder") == 0 && stat("hard", &s) == 0);
    printf("%ld links\n", (long)s.st_nlink);
    put_file("deep/harder", "changed through a hard link\n");
    show_file("data/a.txt");
    CHECK(unlink("data/a.txt") == 0 && unlink("deep") == 0);
    show_file("hard");
    CHECK(link("l3", "link-to-link") == 0 && lstat("link-to-link", &s) == 0);
    printf("hard link to a link: %d\n", S_ISLNK(s.st_mode));
    ssize_t size = readlink("link-to-link", text, 4);
    printf("%.*s\n", (int)size, text);
    return guest_done();
}
