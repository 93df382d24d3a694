/* Sets the ids, groups and capabilities that the process has already, prints capabilities, and queries seccomp's actions.
 *
 * shows: capget, capset, seccomp, setfsgid, setfsuid, setgid, setgroups, setregid, setreuid, setresgid, setresuid, setuid
 * source: users, host name
 */
#include "calls.h"
#include <grp.h>

int main(void)
{
    gid_t groups[64];
    uint32_t action = 0x7fff0000, header[2] = {0x20080522, 0}, sets[6] = {0};
    int count = getgroups(64, groups);
    CHECK(count >= 0);
    CALL(SYS_capget, header, sets);
    printf("effective %08x%08x permitted %08x%08x\n", sets[3], sets[0], sets[4], sets[1]);
    CALL(SYS_capset, header, sets);
    CALL(SYS_seccomp, 2, 0, &action);
    CALL(SYS_setgroups, (long)count, groups);
    CALL(SYS_setregid, -1, getegid());
    CALL(SYS_setreuid, -1, geteuid());
    CALL(SYS_setresgid, -1, -1, getegid());
    CALL(SYS_setresuid, -1, -1, geteuid());
    CALL(SYS_setfsgid, getegid());
    CALL(SYS_setfsuid, geteuid());
    CALL(SYS_setgid, getgid());
    CALL(SYS_setuid, getuid());
    CALL(SYS_capget, header, sets);
    printf("effective %08x%08x\n", sets[3], sets[0]);
    return guest_done();
}
