/* An undumpable program, which hides its memory from tracers without privileges. It reads back what it set, and its calls are
 * recorded and answered as those of any other program.
 *
 * shows: prctl
 * source: limits, seccomp filters, undumpable processes
 */
#include "guest.h"

#include <sys/prctl.h>

static void show_clock(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    printf("dumpable %d at %ld.%09ld\n", prctl(PR_GET_DUMPABLE), (long)now.tv_sec, now.tv_nsec);
}

int main(void)
{
    char host[200] = "";
    show_clock();
    CHECK(prctl(PR_SET_DUMPABLE, 2) < 0 && errno == EINVAL);
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    show_clock();
    for (int i = 0; i < 50; i++)              /* also without stops */
        show_clock();
    show_file("in.txt");
    put_file("made.txt", "by an undumpable program\n");
    CHECK(gethostname(host, sizeof host) == 0);
    puts(host);
    pid_t child = fork();
    if (child == 0) {
        CHECK(prctl(PR_GET_DUMPABLE) == 0);
        CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);
        show_clock();
        execl("/bin/date", "date", "+%s.%N", NULL);
        _exit(9);
    }
    printf("child %d\n", wait_for(child));
    CHECK(prctl(PR_GET_DUMPABLE) == 0);
    return guest_done();
}
