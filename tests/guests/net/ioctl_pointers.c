/* Requests of ioctl whose answer lies behind a pointer, or whose number does not say how much is stored.
 *
 * shows: ioctl
 * source: sockets inside the experiment
 */
#include "guest.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

static void print_bytes(const char *name, int result, const void *data, size_t n)
{
    printf("%s: %d", name, result);
    for (size_t i = 0; i < n; i++)
        printf(" %02x", ((const unsigned char *)data)[i]);
    putchar('\n');
}

static struct ifreq loopback(void)
{
    struct ifreq r;
    memset(&r, 0xaa, sizeof r);
    strcpy(r.ifr_name, "lo");
    return r;
}

static void ethtool(int s, unsigned sub, size_t n)
{
    unsigned char answer[512];
    struct ifreq r = loopback();
    memset(answer, 0xaa, sizeof answer);
    memcpy(answer, &sub, sizeof sub);
    r.ifr_data = (char *)answer;
    print_bytes("ethtool", ioctl(s, SIOCETHTOOL, &r), answer, n);
}

int main(void)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0), listener = socket(AF_INET, SOCK_STREAM, 0), caller = socket(AF_INET, SOCK_STREAM, 0);
    struct ifreq r = loopback(), list[8];
    struct ifconf all = {.ifc_len = sizeof list, .ifc_req = list};
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    unsigned unsent = 0x55555555;
    print_bytes("map", ioctl(s, SIOCGIFMAP, &r), &r, sizeof r);
    ethtool(s, ETHTOOL_GLINK, 8);
    ethtool(s, ETHTOOL_GDRVINFO, sizeof(struct ethtool_drvinfo));
    ethtool(s, ETHTOOL_GLINKSETTINGS, 48);
    CHECK(!ioctl(s, SIOCGIFCONF, &all) && all.ifc_len > 0);
    printf("first of the list: %s\n", list[0].ifr_name);
    CHECK(!bind(listener, (struct sockaddr *)&here, size) && !listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&here, &size));
    CHECK(!connect(caller, (struct sockaddr *)&here, size));
    print_bytes("unsent", ioctl(caller, SIOCOUTQNSD, &unsent), &unsent, sizeof unsent);
    return guest_done();
}
