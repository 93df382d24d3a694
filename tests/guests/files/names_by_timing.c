/* Names of files depend on timing. A thread makes every kind of query about them.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, faccessat2, fchmod, fchown, getgid, getuid, readlink, rename, statx, unlink
 * source: names, renames, files without a name
 */
#include "guest.h"

static unsigned long pace;

static void *name(void *unused)
{
    char first[40], last[40], link[40], *real;
    struct stat st;
    struct statx x;
    snprintf(first, sizeof first, ".part-%lu", pace);
    snprintf(last, sizeof last, "named-%lu", pace);
    int fd = open(first, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && write(fd, "some bytes", 10) == 10);
    CHECK(fchown(fd, getuid(), getgid()) == 0 && fchmod(fd, 0640) == 0);
    CHECK(rename(first, last) == 0 && close(fd) == 0);
    CHECK(stat(last, &st) == 0 && st.st_size == 10 && (st.st_mode & 0777) == 0640);
    CHECK(statx(AT_FDCWD, last, 0, STATX_BASIC_STATS, &x) == 0 && x.stx_size == 10 && (x.stx_mode & 0777) == 0640);
    CHECK(access(last, R_OK | W_OK) == 0 && faccessat(AT_FDCWD, last, R_OK, AT_EACCESS) == 0);
    CHECK(readlink(last, link, sizeof link) == -1 && errno == EINVAL);
    CHECK((real = realpath(last, NULL)) && strstr(real, last));
    free(real);
    CHECK(unlink(last) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pace = guest_pace();
    CHECK(pthread_create(&thread, NULL, name, NULL) == 0 && pthread_join(thread, NULL) == 0);
    return guest_done();
}
