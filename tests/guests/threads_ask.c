#include "guest.h"
#include "outside.h"
/* Threads share out questions to a server outside: who asks what, and over which connection, is decided by who is first. */
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
