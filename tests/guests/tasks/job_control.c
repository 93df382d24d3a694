/* A sleeping job is stopped, continued in the background, and waited for with WNOHANG, as by a shell. In the end
 * it is killed.
 *
 * shows: clock_nanosleep, clone, kill, setpgid, wait4
 * source: ends and statuses of children; process, thread, group and session ids
 */
#include "guest.h"

static void look(pid_t job, const char *what)
{
    int status = 0, tries = 0;
    pid_t found;
    while ((found = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) == 0 && tries++ < 2000)
        usleep(1000);
    CHECK(found == job);
    printf("%s: stopped %d, continued %d, killed %d\n", what, WIFSTOPPED(status) != 0, WIFCONTINUED(status) != 0,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(void)
{
    pid_t job = fork();
    if (job == 0) {
        setpgid(0, 0);
        sleep(60);
        _exit(1);
    }
    setpgid(job, job);
    CHECK(kill(-job, SIGTSTP) == 0);
    look(job, "after SIGTSTP");
    CHECK(kill(-job, SIGCONT) == 0);
    look(job, "after SIGCONT");
    CHECK(kill(-job, SIGTERM) == 0);
    look(job, "after SIGTERM");
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    return guest_done();
}
