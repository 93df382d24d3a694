#include "guest.h"
/* Whoever reads the output goes away, and the program is killed for it, as usual. */
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
