/* Prints the number of processors, the affinity mask and the priority.
 *
 * shows: execve, getcpu, getpriority, sched_get_priority_max, sched_getaffinity, sched_getparam, sched_getscheduler, setpriority
 * source: cpuid, processors, affinity
 */
#include "guest.h"
#include <sys/resource.h>

int main(void)
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    printf("configured %ld online %ld affinity %d:", sysconf(_SC_NPROCESSORS_CONF), sysconf(_SC_NPROCESSORS_ONLN),
           CPU_COUNT(&set));
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            printf(" %d", i);
    unsigned cpu, node;
    CHECK(getcpu(&cpu, &node) == 0);
    printf("\nnow on %u of node %u\n", cpu, node);
    struct sched_param param;
    CHECK(sched_getparam(0, &param) == 0);
    printf("policy %d priority %d nice %d max %d\n", sched_getscheduler(0), param.sched_priority,
           getpriority(PRIO_PROCESS, 0), sched_get_priority_max(SCHED_FIFO));
    printf("memory %ld pages, page %ld\n", sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
    show_file("/sys/devices/system/cpu/online");
    show_file("/sys/devices/system/cpu/possible");
    CHECK(nice(1) >= -20);
    printf("nicer: %d\n", getpriority(PRIO_PROCESS, 0));
    return guest_done();
}
