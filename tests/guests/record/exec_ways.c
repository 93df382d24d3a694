/* Runs programs in every way: by path, PATH search, descriptor, posix_spawn, vfork and from a script.
 *
 * live: yes
 * shows: clone, clone3, execve, execveat, vfork
 * source: fork, clone, exec
 */
#include "guest.h"
#include <spawn.h>

extern char **environ;
static void run(int way)
{
    char *tool[] = {"tool", "by way", (char[]){(char)('0' + way), 0}, NULL}, *empty[] = {"PATH=/bin:/usr/bin", NULL};
    int fd;
    switch (way) {
    case 0: execv("./tool.sh", tool); break;
    case 1: execlp("echo", "echo", "searched", (char *)NULL); break;
    case 2: execve("./tool.sh", tool, empty); break;
    case 3: fd = open("/bin/echo", O_PATH | O_CLOEXEC), fexecve(fd, tool, environ); break;
    case 4: fd = open("/bin", O_PATH), syscall(SYS_execveat, fd, "echo", tool, environ, 0); break;
    case 5: execv("./outer", tool); break;
    case 6: execlp("no-such-program", "no", (char *)NULL); break;
    case 7: execv("./in.txt", tool); break;
    case 8: execv("./data", tool); break;
    }
    printf("way %d: %s\n", way, strerror(errno));
    _exit(way);
}
int main(void)
{
    for (int way = 0; way < 9; way++) {
        pid_t child = fork();
        if (child == 0)
            run(way);
        printf("way %d ended with %d\n", way, WEXITSTATUS(wait_for(child)));
    }
    char *tool[] = {"tool", "spawned", NULL};
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "spawned", O_WRONLY | O_CREAT, 0644);
    CHECK(posix_spawn(&child, "./tool.sh", &actions, NULL, tool, environ) == 0 && wait_for(child) == 0);
    show_file("spawned");
    CHECK(posix_spawnp(&child, "none", NULL, NULL, tool, environ) == ENOENT);
    child = vfork();
    if (child == 0) {
        execv("./tool.sh", tool);
        _exit(1);
    }
    CHECK(wait_for(child) == 0);
    printf("system %d\n", system("echo from a shell; exit 3") >> 8);
    return guest_done();
}
