/* A program with as many arguments as the kernel takes for it: the name of the file counts, too.
 *
 * engine: native (long names)
 * shows: execve
 * source: environment, arguments
 */
#include "guest.h"

enum { EACH = 131000, MOST = 200 };

static char *arguments[MOST + 3];

static int runs(const char *program, int count, int last)
{
    static char each[EACH + 1];
    char *none[] = {NULL}, *end;
    int status;
    memset(each, 'x', EACH);
    arguments[0] = "x";
    for (int i = 1; i <= count; i++)
        arguments[i] = each;
    end = calloc(1, (size_t)last + 1);
    arguments[count + 1] = memset(end, 'y', (size_t)last);
    arguments[count + 2] = NULL;
    pid_t pid = vfork();
    if (!pid) {
        execve(program, arguments, none);
        _exit(99);
    }
    free(end);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status) != 99;
}

int main(void)
{
    int count = 0, low = 0, high = EACH;
    while (count < MOST && runs("/bin/true", count + 1, 0))
        count++;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (runs("/bin/true", count, middle))
            low = middle;
        else
            high = middle;
    }
    printf("%d\n", runs("/bin/true", count, low));
    return guest_done();
}
