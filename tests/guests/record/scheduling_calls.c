/* Queries and sets how the kernel schedules the process, where its memory lies, and how its clock is steered.
 *
 * shows: adjtimex, clock_adjtime, get_mempolicy, getcpu, getrlimit, ioprio_get, ioprio_set, migrate_pages, personality, sched_get_priority_max, sched_get_priority_min, sched_getattr, sched_getparam, sched_getscheduler, sched_rr_get_interval, sched_setaffinity, sched_setattr, sched_setparam, sched_setscheduler, set_mempolicy, setrlimit, syslog
 * source: cpuid, processors, affinity; resource usage
 */
#include "calls.h"
#include <sys/resource.h>
#include <sys/timex.h>

int main(void)
{
    unsigned cpu, node;
    uint64_t limits[2], attribute[6] = {sizeof attribute}, set[16] = {0};
    struct timespec slice = {0};
    struct timex adjusted = {0};
    int policy = 0, parameter = 0;
    CHECK(CALL(SYS_getcpu, &cpu, &node, NULL) == 0);
    printf("processor %u node %u\n", cpu, node);
    CHECK(CALL(SYS_getrlimit, RLIMIT_NOFILE, limits) == 0);
    printf("files %lu %lu\n", limits[0], limits[1]);
    CALL(SYS_setrlimit, RLIMIT_NOFILE, limits);
    CALL(SYS_sched_get_priority_max, SCHED_FIFO);
    CALL(SYS_sched_get_priority_min, SCHED_FIFO);
    CALL(SYS_sched_getscheduler, 0);
    CALL(SYS_sched_getparam, 0, &parameter);
    CALL(SYS_sched_setparam, 0, &parameter);
    CALL(SYS_sched_setscheduler, 0, SCHED_OTHER, &parameter);
    CALL(SYS_sched_getattr, 0, attribute, (long)sizeof attribute, 0);
    printf("size %u policy %u nice %d\n", (unsigned)attribute[0], (unsigned)(attribute[0] >> 32), (int)attribute[2]);
    CALL(SYS_sched_setattr, 0, attribute, 0);
    CALL(SYS_sched_rr_get_interval, 0, &slice);
    printf("slice %ld.%09ld\n", (long)slice.tv_sec, slice.tv_nsec);
    long size = CALL(SYS_sched_getaffinity, 0, sizeof set, set);
    CALL(SYS_sched_setaffinity, 0, size, set);
    CALL(SYS_ioprio_get, 1, 0);
    CALL(SYS_ioprio_set, 1, 0, 2 << 13 | 4);
    CALL(SYS_get_mempolicy, &policy, NULL, 0L, NULL, 0L);
    CALL(SYS_set_mempolicy, 0, NULL, 0L);
    CALL(SYS_migrate_pages, 0, 0L, NULL, NULL);
    CALL(SYS_personality, 0xffffffffL);
    CALL(SYS_adjtimex, &adjusted);
    printf("frequency %ld\n", adjusted.freq);
    CALL(SYS_clock_adjtime, CLOCK_REALTIME, &adjusted);
    CALL(SYS_syslog, 10, NULL, 0);
    return guest_done();
}
