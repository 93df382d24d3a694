/* A thread gives and takes a System V semaphore until another thread has computed: more often than when recorded.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: semctl, semget, semop
 * source: System V IPC, POSIX message queues; which thread does a piece of work
 */
#include "outside.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void give_and_take(void)
{
    struct sembuf give = {0, 1, 0}, take = {0, -1, 0};
    CHECK(semop(set, &give, 1) == 0 && semop(set, &take, 1) == 0);
}

int main(void)
{
    CHECK((set = semget(IPC_PRIVATE, 1, 0600)) >= 0);
    do_more_often(give_and_take);
    printf("value %d\n", semctl(set, 0, GETVAL));
    CHECK(semctl(set, 0, IPC_RMID) == 0);
    return guest_done();
}
