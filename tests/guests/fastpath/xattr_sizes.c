/* Queries extended attributes often: the size only, into small buffers, and of a file without any.
 *
 * shows: fgetxattr, flistxattr, fsetxattr, listxattr, llistxattr
 * source: inodes, sizes, times and modes of files
 */
#include "guest.h"

#include <sys/xattr.h>

static void say(const char *what, ssize_t n, const char *value)
{
    printf("%s %zd", what, n < 0 ? -errno : n);
    for (ssize_t i = 0; value && i < n; i++)
        printf(" %02x", (unsigned char)value[i]);
    printf("\n");
}

int main(void)
{
    char value[64];
    int fd = open("attributes", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    int has_any = !fsetxattr(fd, "user.one", "first", 5, 0) && !fsetxattr(fd, "user.other", "second value", 12, 0);
    printf("attributes %s\n", has_any ? "kept" : "not kept");
    for (int i = 0; i < 40; i++) {
        memset(value, '-', sizeof value);
        say("size", fgetxattr(fd, "user.one", NULL, 0), NULL);
        say("size, with room", fgetxattr(fd, "user.other", value, 0), NULL);
        CHECK(value[0] == '-');
        say("one", fgetxattr(fd, "user.one", value, sizeof value), value);
        say("other", fgetxattr(fd, "user.other", value, sizeof value), value);
        say("small", fgetxattr(fd, "user.other", value, 3), value);
        say("none", fgetxattr(fd, "user.none", value, sizeof value), value);
        CHECK(fgetxattr(fd, (char *)8, value, sizeof value) == -1 && errno == EFAULT);
        say("list size", flistxattr(fd, NULL, 0), NULL);
        say("list", flistxattr(fd, value, sizeof value), value);
        say("list, small", flistxattr(fd, value, 4), value);
        say("list by name", listxattr("attributes", value, sizeof value), value);
        say("list of link", llistxattr("attributes", value, sizeof value), value);
        say("no such file", listxattr("missing", value, sizeof value), value);
        if (i == 20)
            CHECK(!has_any || !fsetxattr(fd, "user.one", "new", 3, 0));
    }
    printf("%s\n", TOKEN);
    return 0;
}
