/* A thread receives from an external server what other threads send there, no earlier than they send it. The
 * others also get answers.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clone3, connect, futex, socket
 * source: servers and clients outside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include "outside.h"

enum { TOLD = 8, ITEMS = 20, THREADS = 3 };
static int heard, items[ITEMS + 1];
static void ask(FILE *f, const char *what, char *answer, int size)
{
    CHECK(fprintf(f, "%s\n", what) > 0 && fflush(f) == 0 && fgets(answer, size, f));
}
static void *hear(void *of)
{
    char line[64];
    for (int i = 0; i < TOLD; i++) {
        CHECK(fgets(line, sizeof line, of));
        __atomic_store_n(&heard, atoi(line), __ATOMIC_SEQ_CST);
    }
    return of;
}
static void *work(void *unused)
{
    char line[64];
    for (int item = 0; item < ITEMS; ) {
        FILE *f = called();
        ask(f, "next", line, sizeof line);
        fclose(f);
        if ((item = atoi(line)) <= ITEMS)
            items[item]++;
    }
    return unused;
}
int main(void)
{
    pthread_t threads[THREADS], hearer;
    char line[64], what[20];
    FILE *hears = called(), *tells = called();
    ask(hears, "hear", line, sizeof line);
    CHECK(pthread_create(&hearer, NULL, hear, hears) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 1; i <= TOLD; i++) {
        CHECK(__atomic_load_n(&heard, __ATOMIC_SEQ_CST) < i);
        snprintf(what, sizeof what, "tell %d", i);
        ask(tells, what, line, sizeof line);
    }
    CHECK(pthread_join(hearer, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 1; i <= ITEMS; i++)
        printf("%d", items[i]);
    printf(" heard %d\n", heard);
    return guest_done();
}
