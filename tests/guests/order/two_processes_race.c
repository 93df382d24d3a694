/* Processes race for standard output and for a file. The recorded order is kept.
 *
 * shows: clock_nanosleep, clone, close, openat, wait4
 * source: standard streams; files written by several processes
 */
#include "guest.h"

int main(void)
{
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            int fd = open("together", O_WRONLY | O_CREAT | O_APPEND, 0644);
            for (int j = 0; j < 5; j++) {
                printf("process %d line %d\n", i, j);
                if (j == 2)
                    nap_ms(1);
            }
            close(fd);
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        pid_t ended = wait(&status);
        for (int j = 0; j < 4; j++)
            if (children[j] == ended)
                printf("ended: %d\n", j);
    }
    return guest_done();
}
