/* The reader of standard output closes it. SIGPIPE kills the program.
 *
 * run: status=-13, stdout=100, no-token
 * live: no (nobody closes its output there)
 * shows: openat, write
 * source: standard streams; signals
 */
#include "guest.h"

int main(void)
{
    char line[1000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    put_file("began", "yes");
    while (write(STDOUT_FILENO, line, sizeof line) > 0) {
    }
    return 98;
}
