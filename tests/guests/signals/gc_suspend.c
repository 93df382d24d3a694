/* Threads stop all siblings by a signal, look, and resume them by another, as garbage collectors do.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clone3, rt_sigsuspend, tgkill
 * source: signals; which thread does a piece of work
 */
#include "guest.h"

#include <semaphore.h>

enum { THREADS = 4, PIECES = 300, EACH = 40, NAME = 64 };

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static pthread_t known[THREADS];
static int is_known[THREADS], made, looks, all_made;
static volatile sig_atomic_t round_now;
static sem_t stopped;
static sigset_t only_resume;

static void stop(int sig)
{
    int error = errno, mine = round_now;
    (void)sig;
    sem_post(&stopped);
    do
        sigsuspend(&only_resume);
    while (round_now == mine);
    errno = error;
}

static void resume(int sig)
{
    (void)sig;
}

static void signal_others(int self, int sig)
{
    for (int i = 0; i < THREADS; i++)
        if (i != self && is_known[i])
            CHECK(!pthread_kill(known[i], sig));
}

/* The heap is ours. */
static void look(int self)
{
    int others = 0;
    for (int i = 0; i < THREADS; i++)
        others += i != self && is_known[i];
    round_now = round_now + 1;
    signal_others(self, SIGPWR);
    for (int i = 0; i < others; i++)
        while (sem_wait(&stopped))
            ;
    round_now = round_now + 1;
    signal_others(self, SIGXCPU);
    looks++;
}

static void know(int self, int is)
{
    pthread_mutex_lock(&heap);
    known[self] = pthread_self();
    is_known[self] = is;
    pthread_mutex_unlock(&heap);
}

static void make(int self)
{
    pthread_mutex_lock(&heap);
    if (++made % EACH == 0)
        look(self);
    all_made += self + 1;
    pthread_mutex_unlock(&heap);
}

static void *work(void *number)
{
    int self = (int)(intptr_t)number;
    volatile unsigned sum = 0;
    know(self, 1);
    for (int i = 0; i < PIECES; i++) {
        char name[NAME];
        struct timespec now;
        for (unsigned k = 0; k < 3000; k++)
            sum += k;
        make(self);
        if (i % 50 == 0) {
            snprintf(name, sizeof name, "piece.%d.%d", self, i);
            int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0666);
            CHECK(fd >= 0 && write(fd, name, strlen(name)) > 0 && !close(fd));
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        }
    }
    know(self, 0);
    return number;
}

int main(void)
{
    struct sigaction on_stop = {.sa_handler = stop, .sa_flags = SA_RESTART}, on_resume = {.sa_handler = resume, .sa_flags = SA_RESTART};
    pthread_t thread[THREADS];
    sigfillset(&on_stop.sa_mask);
    sigfillset(&only_resume);
    sigdelset(&only_resume, SIGXCPU);
    CHECK(!sem_init(&stopped, 0, 0) && !sigaction(SIGPWR, &on_stop, NULL) && !sigaction(SIGXCPU, &on_resume, NULL));
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(thread[i], NULL));
    printf("%d made, %d looks, sum %d\n", made, looks, all_made);
    return guest_done();
}
