/* The reader of standard output closes it. The program gets EPIPE.
 *
 * run: stdout=100, no-token
 * live: no (nobody closes its output there)
 * shows: openat, rt_sigaction, write
 * source: standard streams
 */
#include "guest.h"

int main(void)
{
    char line[1000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    signal(SIGPIPE, SIG_IGN);
    ssize_t last = 0;
    int error = 0;
    for (int i = 0; i < 5000 && last >= 0; i++) {
        last = write(STDOUT_FILENO, line, sizeof line);
        error = errno;
    }
    put_file("told", strerror(error));
    return error == EPIPE ? 0 : 98;
}
