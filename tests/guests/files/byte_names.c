/* Uses names that are not text: bytes, spaces, quotes, newlines, and very long names.
 *
 * live: yes
 * shows: getdents64, mkdir, openat, rename, symlink
 * source: names, renames, files without a name
 */
#include "guest.h"

int main(void)
{
    char lengthy[256], path[512];
    memset(lengthy, 'x', 255);
    lengthy[255] = 0;
    const char *names[] = {"caf\xe9", "\xff\xfe", "two words", "quo\"te's", "new\nline", "tab\t", "-dash", "back\\slash",
                           "\xe2\x98\x83", "*", "$HOME", "\x01", lengthy};
    CHECK(mkdir("n\xe4mes", 0755) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "n\xe4mes/%s", names[i]);
        put_file(path, names[i]);
    }
    DIR *dir = opendir("n\xe4mes");
    struct dirent *entry;
    while ((entry = readdir(dir)))
        printf("<%s>\n", entry->d_name);
    closedir(dir);
    show_file("n\xe4mes/caf\xe9");
    CHECK(rename("n\xe4mes/\xff\xfe", "\xff") == 0 && symlink("\xff", "l\xee") == 0);
    show_file("l\xee");
    CHECK(open("\xfe\xfe", O_RDONLY) == -1 && errno == ENOENT);
    return guest_done();
}
