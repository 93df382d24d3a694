/* A process that shares memory with a worker kills it after it has done its work and ended (multiprocessing's
 * Pool.terminate). It learns that from nobody: it waits for a server meanwhile.
 *
 * run: outside=servers
 * engine: native (processes that share memory)
 * shows: clone, kill, wait4
 * source: ends and statuses of children
 */
#include "slow_server.h"

int main(void)
{
    shared_page();
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (!worker) {
        compute();
        puts("the worker has done its work");
        exit(5);
    }
    ask_slow_server();
    CHECK(kill(worker, SIGTERM) == 0);
    printf("ended with %d\n", WEXITSTATUS(wait_for(worker)));
    return guest_done();
}
