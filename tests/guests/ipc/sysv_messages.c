/* Processes send and receive System V messages of several types through one queue.
 *
 * run: racing
 * engine: native (System V IPC)
 * shows: clone, getpid, msgctl, msgget, msgrcv, msgsnd
 * source: System V IPC, POSIX message queues
 */
#include "guest.h"
#include <sys/ipc.h>
#include <sys/msg.h>

enum { SENDERS = 3, EACH = 20, LAST = 9 };
static struct { long kind; char text[40]; } m;
static void send_all(int queue, int sender)
{
    for (int i = 0; i < EACH; i++) {
        m.kind = 1 + i % 3;
        snprintf(m.text, sizeof m.text, "%d from %d, process %d", i, sender, getpid());
        CHECK(msgsnd(queue, &m, strlen(m.text) + 1, 0) == 0);
    }
    _exit(0);
}
/* Answers each of its kind, and ends with the last. */
static void answer(int queue, int answers)
{
    int got = 0;
    do {
        CHECK(msgrcv(queue, &m, sizeof m.text, -LAST, 0) >= 0);
        got++;
        if (m.kind == LAST)
            break;
        m.kind = 7;
        CHECK(msgsnd(answers, &m, strlen(m.text) + 1, 0) == 0);
    } while (1);
    printf("answered %d\n", got);
    _exit(0);
}
int main(void)
{
    struct msqid_ds d;
    int queue = msgget(IPC_PRIVATE, 0600), answers = msgget(getpid(), IPC_CREAT | 0600);
    printf("%d %d; none: %zd %m\n", queue, answers, msgrcv(queue, &m, sizeof m.text, 0, IPC_NOWAIT));
    pid_t pid[SENDERS + 1];
    if ((pid[SENDERS] = fork()) == 0)
        answer(queue, answers);
    for (int i = 0; i < SENDERS; i++)
        if ((pid[i] = fork()) == 0)
            send_all(queue, i);
    for (int i = 0; i < SENDERS * EACH; i++) {
        ssize_t n = msgrcv(answers, &m, i % 2 ? 8 : sizeof m.text, 0, MSG_NOERROR);
        printf("%zd %.*s\n", n, (int)n, m.text);
    }
    CHECK(msgctl(answers, IPC_STAT, &d) == 0);
    printf("%ld left, last sent by %d, received by %d\n", (long)d.msg_qnum, d.msg_lspid, d.msg_lrpid);
    m.kind = LAST;
    CHECK(msgsnd(queue, &m, 0, 0) == 0);
    for (int i = 0; i <= SENDERS; i++)
        CHECK(wait_for(pid[i]) == 0);
    CHECK(msgctl(queue, IPC_RMID, NULL) == 0 && msgctl(answers, IPC_RMID, NULL) == 0);
    printf("gone: %d %m\n", msgsnd(queue, &m, 0, 0));
    return guest_done();
}
