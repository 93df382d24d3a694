/* The script is a file that begins with a line #!.  What follows are words, each ended by NUL:
 *     d MODE PATH           a directory
 *     f MODE PATH FILE      a file with the content of another
 *     l TARGET PATH         a symbolic link
 *     o FD FILE             bytes for a descriptor that is open
 *     t NS PATH             the time of the last change, since 1970
 *     r PATH                remove a file or an empty directory
 *     x STATUS              the end */
#include "put/put.h"
#include "base/base.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { FAILED = 125, BLOCK = 1 << 16 };

static void fail(const char *path)
{
    dprintf(2, "rex: cannot put back %s: %s\n", path, strerror(errno));
    _exit(FAILED);
}

static void copy(const char *from, int to)
{
    static char block[BLOCK];
    ssize_t n;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fail(from);
    while ((n = read(fd, block, sizeof block)) > 0)
        if (!write_whole(to, block, (size_t)n))
            fail(from);
    if (n < 0)
        fail(from);
    close(fd);
}

static void put_file(mode_t mode, const char *path, const char *from)
{
    enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC };
    int fd = open(path, FLAGS, 0600);
    if (fd < 0 && !unlink(path))
        fd = open(path, FLAGS, 0600);
    if (fd < 0)
        fail(path);
    copy(from, fd);
    if (fchmod(fd, mode) || close(fd))
        fail(path);
}

static void put_directory(mode_t mode, const char *path)
{
    if ((mkdir(path, 0700) && errno != EEXIST) || chmod(path, mode))
        fail(path);
}

static void put_link(const char *target, const char *path)
{
    if (symlink(target, path) && (errno != EEXIST || unlink(path) || symlink(target, path)))
        fail(path);
}

static void take_away(const char *path)
{
    if (unlink(path) && errno != ENOENT && rmdir(path))
        fail(path);
}

static void set_time(long long ns, const char *path)
{
    enum { SECOND = 1000000000 };
    long long rest = (ns % SECOND + SECOND) % SECOND;
    struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)((ns - rest) / SECOND), (long)rest}};
    if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW))
        fail(path);
}

static char *read_script(const char *path, char **end)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        fail(path);
    char *text = malloc((size_t)st.st_size + 1);
    size_t size = 0;
    for (ssize_t n; text && (n = read(fd, text + size, (size_t)st.st_size - size)) > 0; )
        size += (size_t)n;
    if (!text || size != (size_t)st.st_size)
        fail(path);
    close(fd);
    text[size] = 0;
    *end = text + size;
    return text;
}

/* The next word of the script. */
static char *next(char **at)
{
    char *word = *at;
    *at += strlen(word) + 1;
    return word;
}

int put_back(const char *script)
{
    char *end, *at = read_script(script, &end);
    at = memchr(at, '\n', (size_t)(end - at));
    for (at = at ? at + 1 : end; at < end; ) {
        char what = *next(&at), *one = next(&at), *two;
        switch (what) {
        case 'd': put_directory((mode_t)strtoul(one, NULL, 8), next(&at)); break;
        case 'f': two = next(&at); put_file((mode_t)strtoul(one, NULL, 8), two, next(&at)); break;
        case 'l': put_link(one, next(&at)); break;
        case 'o': copy(next(&at), atoi(one)); break;
        case 't': set_time(strtoll(one, NULL, 10), next(&at)); break;
        case 'r': take_away(one); break;
        case 'x': return atoi(one);
        }
    }
    errno = EINVAL;
    fail(script);
    return FAILED;
}
