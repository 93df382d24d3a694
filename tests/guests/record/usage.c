/* Prints what the process and the machine have used, and their limits.
 *
 * shows: clone, execve, getrusage, prlimit64, statfs, sysinfo, times, wait4
 * source: resource usage
 */
#include "guest.h"
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>

static void show(const char *who, int of)
{
    struct rusage u;
    CHECK(getrusage(of, &u) == 0);
    printf("%s: user %ld.%06ld system %ld.%06ld memory %ld faults %ld %ld switches %ld %ld\n", who,
           (long)u.ru_utime.tv_sec, (long)u.ru_utime.tv_usec, (long)u.ru_stime.tv_sec, (long)u.ru_stime.tv_usec,
           u.ru_maxrss, u.ru_minflt, u.ru_majflt, u.ru_nvcsw, u.ru_nivcsw);
}
int main(void)
{
    show("self", RUSAGE_SELF);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    struct rusage u;
    int status;
    CHECK(wait4(child, &status, 0, &u) == child);
    printf("child of wait4: faults %ld system %ld us\n", u.ru_minflt, (long)u.ru_stime.tv_usec);
    show("children", RUSAGE_CHILDREN);
    show("thread", RUSAGE_THREAD);
    struct tms t;
    clock_t now = times(&t);
    printf("times %ld %ld %ld %ld\n", (long)now, (long)t.tms_utime, (long)t.tms_stime, (long)t.tms_cutime);
    struct sysinfo info;
    CHECK(sysinfo(&info) == 0);
    printf("up %ld load %lu free %lu of %lu, %d processes\n", info.uptime, info.loads[0], info.freeram, info.totalram,
           info.procs);
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        struct rlimit limit;
        CHECK(getrlimit(i, &limit) == 0);
        printf("limit %d: %lx %lx\n", i, (long)limit.rlim_cur, (long)limit.rlim_max);
    }
    struct statvfs disk;
    CHECK(statvfs(".", &disk) == 0);
    printf("disk %lu free of %lu\n", (long)disk.f_bfree, (long)disk.f_blocks);
    return guest_done();
}
