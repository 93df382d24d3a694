/* Two threads read from a worker each by pipes, and pass the data to the first thread, which prints it as it
 * comes.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, pipe2, read
 * source: pipes: sizes of reads, order of writers; which thread does a piece of work
 */
#include "guest.h"

enum { MESSAGES = 40 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char queue[2 * MESSAGES];
static int queued, ears[2][2];

static void *hear(void *who)
{
    char c;
    while (read(ears[(long)who][0], &c, 1) == 1) {
        pthread_mutex_lock(&lock);
        queue[queued++] = c;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* How long each takes is up to the machine. */
static pid_t worker(int who)
{
    pid_t pid = fork();
    for (int i = 0; i < MESSAGES && !pid; i++) {
        for (volatile int k = 0; k < 30000; k++)
            ;
        CHECK(write(ears[who][1], &(char){"aA"[who]}, 1) == 1);
    }
    if (!pid)
        exit(0);
    return pid;
}

int main(void)
{
    pthread_t thread[2];
    pid_t pid[2];
    for (long i = 0; i < 2; i++) {
        CHECK(pipe2(ears[i], O_CLOEXEC) == 0);
        pid[i] = worker((int)i);
        close(ears[i][1]);
        CHECK(pthread_create(&thread[i], NULL, hear, (void *)i) == 0);
    }
    for (int printed = 0; printed < 2 * MESSAGES; printed++) {
        pthread_mutex_lock(&lock);
        while (queued == printed)
            pthread_cond_wait(&more, &lock);
        pthread_mutex_unlock(&lock);
        printf("%c", queue[printed]);
    }
    printf("\n");
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
        wait_for(pid[i]);
    }
    return guest_done();
}
