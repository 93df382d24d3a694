/* Two processes append to one file. The second opens it after the first has written and closed it, and learns that from
 * nobody: it waits for a server meanwhile.
 *
 * run: outside=servers
 * engine: native (order between processes)
 * shows: clone, openat, write
 * source: files written by several processes
 */
#include "slow_server.h"

static void append(const char *text)
{
    FILE *f = fopen("f", "a");
    CHECK(f);
    *text == '1' ? compute() : (void)0;
    CHECK(fputs(text, f) >= 0 && fclose(f) == 0);
}

int main(void)
{
    int over[2];
    char none;
    CHECK(pipe(over) == 0);
    pid_t first = fork();
    if (!first) {
        append("1 ");
        CHECK(close(over[1]) == 0 && read(over[0], &none, 1) == 0);
        _exit(0);
    }
    ask_slow_server();
    append("2");
    CHECK(close(over[1]) == 0);
    CHECK(wait_for(first) == 0);
    show_file("f");
    return guest_done();
}
