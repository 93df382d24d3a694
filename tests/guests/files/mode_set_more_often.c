/* A thread sets the mode of an open file until another thread has computed: more often than when recorded.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: fchmod
 * source: which thread does a piece of work
 */
#include "outside.h"

static int fd;

static void set_mode(void)
{
    CHECK(fchmod(fd, 0600) == 0);
}

int main(void)
{
    struct stat st;
    CHECK((fd = open("made", O_WRONLY | O_CREAT, 0644)) >= 0);
    do_more_often(set_mode);
    CHECK(fstat(fd, &st) == 0);
    printf("mode %o\n", st.st_mode & 0777);
    return guest_done();
}
