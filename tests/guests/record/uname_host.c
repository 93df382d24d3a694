/* Prints the machine's name and facts: uname, gethostname, sysinfo.
 *
 * shows: openat, uname
 * source: users, host name
 */
#include "guest.h"
#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void)
{
    struct utsname u;
    char host[100], domain[100];
    CHECK(uname(&u) == 0 && gethostname(host, sizeof host) == 0 && getdomainname(domain, sizeof domain) == 0);
    printf("%s %s %s %s %s\n", u.sysname, u.nodename, u.release, u.version, u.machine);
    printf("host %s domain %s id %lx\n", host, domain, gethostid());
    show_file("/etc/hostname");
    show_file("/proc/sys/kernel/hostname");
    return guest_done();
}
