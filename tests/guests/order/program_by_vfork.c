/* A process writes a program and executes it by vfork. It goes on only after that, so that the execution waits for nothing else of it.
 *
 * live: yes
 * shows: vfork, execve
 * source: fork, clone, exec; files written by several processes
 */
#include "guest.h"

int main(void)
{
    static const char program[] = "#!/bin/sh\necho it runs\n";
    for (int i = 0; i < 2; i++) {
        int file = open("made.sh", O_WRONLY | O_CREAT | O_TRUNC, 0755);
        CHECK(file >= 0 && write(file, program, sizeof program - 1) == sizeof program - 1 && close(file) == 0);
        pid_t child = vfork();
        if (child == 0) {
            execl("./made.sh", "made.sh", (char *)NULL);
            _exit(9);
        }
        CHECK(wait_for(child) == 0);
    }
    return guest_done();
}
