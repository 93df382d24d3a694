#include "guest.h"
/* A thread asks for the second as often as it comes to, then also where it is to be written: that it is. */
enum { ROUNDS = 20 };
static volatile int is_done;
static void *look(void *unused)
{
    while (!is_done)
        CHECK(time(NULL) > 0);
    for (int i = 0; i < 3; i++) {
        time_t written = -1, told = time(&written);
        CHECK(written == told);
    }
    return unused;
}
int main(void)
{
    pthread_t looker;
    for (int i = 0; i < ROUNDS; i++) {
        is_done = 0;
        CHECK(pthread_create(&looker, NULL, look, NULL) == 0);
        for (volatile int k = 0; k < (i % 3) * 100000; k++)
            ;
        is_done = 1;
        CHECK(pthread_join(looker, NULL) == 0);
    }
    return guest_done();
}
