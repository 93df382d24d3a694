/* Threads share out requests to an external server. Who sends what over which connection depends on who is first.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clone3, connect, futex, socket
 * source: servers and clients outside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include "outside.h"

enum { JOBS = 60, THREADS = 4 };
static char answers[JOBS][64];
static void *work(void *unused)
{
    FILE *kept = called();
    for (int job; (job = next_job()) < JOBS; ) {
        FILE *f = job % 3 ? kept : called();
        CHECK(fprintf(f, "what is %d?\n", job) > 0 && fflush(f) == 0);
        CHECK(fgets(answers[job], sizeof answers[job], f));
        if (job % 3 == 0) {
            CHECK(fputs("bye\n", f) >= 0 && fflush(f) == 0 && fgetc(f) == EOF);
            fclose(f);
        }
    }
    fclose(kept);
    return unused;
}
int main(void)
{
    run_threads(THREADS, work);
    for (int job = 0; job < JOBS; job++)
        fputs(answers[job], stdout);
    return guest_done();
}
