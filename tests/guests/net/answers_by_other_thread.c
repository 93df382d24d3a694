/* A thread for each caller takes its requests, another thread answers them. The last caller comes after the others have
 * all their answers.
 *
 * run: racing, outside=callers
 * live: no (nobody calls it)
 * engine: native (threads)
 * shows: accept, recvfrom, sendto
 * source: servers and clients outside the experiment; which thread does a piece of work
 */
#include "guest.h"

#include <stdbool.h>

enum { CALLERS = 5, WORK = 4 * 1000 * 1000 };
struct caller { int fd, waiting; bool is_over; };
static struct caller caller[CALLERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int requests, answers;

static void *take_requests(void *of)
{
    struct caller *own = of;
    char line[64];
    ssize_t n;
    while ((n = recv(own->fd, line, sizeof line, 0)) > 0) {
        pthread_mutex_lock(&lock);
        CHECK(memcmp(line, "stop", 4) || answers == requests);
        own->waiting++;
        requests++;
        pthread_cond_signal(&change);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    own->is_over = true;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static struct caller *next_waiting(void)
{
    for (;; pthread_cond_wait(&change, &lock)) {
        int over = 0;
        for (int i = 0; i < CALLERS; i++) {
            if (caller[i].waiting)
                return &caller[i];
            over += caller[i].is_over;
        }
        if (over == CALLERS)
            return NULL;
    }
}

static void *answer(void *unused)
{
    struct caller *next;
    pthread_mutex_lock(&lock);
    while ((next = next_waiting())) {
        pthread_mutex_unlock(&lock);
        for (volatile int i = 0; i < WORK; i++) {
        }
        pthread_mutex_lock(&lock);
        next->waiting--;
        answers++;
        CHECK(send(next->fd, "yes\n", 4, MSG_NOSIGNAL) == 4);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    pthread_t reader[CALLERS], worker;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_port = htons((uint16_t)atoi(getenv("GUEST_PORT")));
    CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, CALLERS) == 0);
    CHECK(pthread_create(&worker, NULL, answer, NULL) == 0);
    for (int i = 0; i < CALLERS; i++) {
        CHECK((caller[i].fd = accept(listener, NULL, NULL)) >= 0);
        CHECK(pthread_create(&reader[i], NULL, take_requests, &caller[i]) == 0);
    }
    for (int i = 0; i < CALLERS; i++)
        CHECK(pthread_join(reader[i], NULL) == 0);
    CHECK(pthread_join(worker, NULL) == 0);
    printf("%d requests\n", requests);
    return guest_done();
}
