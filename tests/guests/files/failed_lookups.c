/* Looks up missing names in every way that programs do.
 *
 * live: yes
 * shows: access, chdir, chmod, link, mkdir, readlink, rename, rmdir, statfs, truncate
 * source: names, renames, files without a name
 */
#include "guest.h"

static void tell(const char *what, long result) { printf("%s: %ld %s\n", what, result, strerror(errno)); }
int main(void)
{
    struct stat s;
    char text[8], lengthy[5000];
    memset(lengthy, 'n', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = 0;
    tell("open", open("none", O_RDONLY));
    tell("below none", open("none/below", O_WRONLY | O_CREAT, 0644));
    tell("below a file", open("in.txt/below", O_RDONLY));
    tell("directory written", open("data", O_WRONLY));
    tell("file as directory", open("in.txt", O_RDONLY | O_DIRECTORY));
    tell("link not followed", open("link", O_RDONLY | O_NOFOLLOW));
    tell("exclusive", open("in.txt", O_WRONLY | O_CREAT | O_EXCL, 0644));
    tell("stat", stat("none", &s));
    tell("lstat", lstat("none", &s));
    tell("too long", stat(lengthy, &s));
    tell("empty", stat("", &s));
    tell("access", access("none", R_OK));
    tell("not executable", access("in.txt", X_OK));
    tell("readlink of a file", readlink("in.txt", text, sizeof text));
    tell("readlink", readlink("none", text, sizeof text));
    tell("chdir", chdir("none"));
    tell("chdir to a file", chdir("in.txt"));
    tell("unlink", unlink("none"));
    tell("unlink a directory", unlink("data"));
    tell("rmdir", rmdir("data"));
    tell("rename", rename("none", "other"));
    tell("link", link("none", "other"));
    tell("mkdir", mkdir("data", 0755));
    tell("mkdir below none", mkdir("none/below", 0755));
    tell("chmod", chmod("none", 0600));
    tell("truncate", truncate("none", 0));
    tell("opendir", opendir("none") != NULL);
    tell("bad descriptor", read(99, text, 1));
    tell("bad memory", open((char *)1, O_RDONLY));
    tell("statfs", syscall(SYS_statfs, "none", &s));
    put_file("none", "now it is");
    tell("stat", stat("none", &s));
    return guest_done();
}
