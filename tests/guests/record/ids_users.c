/* Prints the user, the group and their names.
 *
 * shows: access, getegid, geteuid, getgid, getgroups, getresgid, getresuid, getuid, newfstatat, prctl
 * source: users, host name
 */
#include "guest.h"
#include <grp.h>
#include <pwd.h>

int main(void)
{
    uid_t r, e, s;
    gid_t gr, ge, gs, groups[64];
    CHECK(getresuid(&r, &e, &s) == 0 && getresgid(&gr, &ge, &gs) == 0);
    printf("user %d %d, %d %d %d; group %d %d, %d %d %d\n", getuid(), geteuid(), r, e, s, getgid(), getegid(), gr, ge,
           gs);
    int count = getgroups(64, groups);
    printf("%d groups (%d)\n", count, getgroups(0, NULL));
    for (int i = 0; i < count; i++)
        printf("member of %d\n", groups[i]);
    struct passwd *user = getpwuid(getuid());
    struct group *group = getgrgid(getgid());
    printf("name %s home %s group %s\n", user ? user->pw_name : "?", user ? user->pw_dir : "?",
           group ? group->gr_name : "?");
    printf("no such user: %d\n", getpwnam("nobody-has-this-name") == NULL);
    struct stat st;
    CHECK(stat("in.txt", &st) == 0);
    printf("file of %d and %d, may write %d\n", st.st_uid, st.st_gid, access("in.txt", W_OK));
    return guest_done();
}
