/* Children write as fast as they can until they are killed. What they had written counts.
 *
 * engine: native (order between processes)
 * shows: clock_nanosleep, clone, kill, wait4, write
 * source: standard streams; ends and statuses of children
 */
#include "guest.h"

enum { CHILDREN = 12 };

static void speak(void)
{
    char line[32];
    for (int i = 0;; i++)
        CHECK(write(1, line, (size_t)snprintf(line, sizeof line, "line %d\n", i)) > 0);
}

int main(void)
{
    for (int k = 0; k < CHILDREN; k++) {
        pid_t pid = fork();
        if (!pid)
            speak();
        usleep(3000 + 500 * k);
        CHECK(!kill(pid, k % 3 ? SIGKILL : SIGTERM) && waitpid(pid, NULL, 0) == pid);
        printf("child %d ended\n", k);
    }
    return guest_done();
}
