/* A child that computes without calls is killed.
 *
 * shows: clock_nanosleep, clone, kill
 * source: signals; ends and statuses of children
 */
#include "guest.h"

int main(void)
{
    int signals[] = {SIGKILL, SIGTERM};
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            for (volatile long n = 0;; n++) {
            }
        nap_ms(20);
        CHECK(kill(child, signals[i]) == 0);
        int status = wait_for(child);
        printf("killed by %d\n", WTERMSIG(status));
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
    }
    return guest_done();
}
