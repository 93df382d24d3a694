/* Prints the order of a directory's names, before and after a change.
 *
 * live: yes
 * shows: getdents64, lseek, mkdir, rename, unlink
 * source: directory order
 */
#include "guest.h"

static void list(const char *path)
{
    DIR *dir = opendir(path);
    CHECK(dir);
    struct dirent *entry;
    while ((entry = readdir(dir)))
        printf("%s: %s type %d inode %lu next %ld\n", path, entry->d_name, entry->d_type, (long)entry->d_ino,
               (long)entry->d_off);
    rewinddir(dir);
    int count = 0;
    while (readdir(dir))
        count++;
    printf("%s: %d again\n", path, count);
    closedir(dir);
}
int main(void)
{
    list(".");
    list("data");
    CHECK(mkdir("many", 0755) == 0);
    for (int i = 0; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/file%d", i * 7919 % 1000);
        put_file(name, "x");
    }
    list("many");
    CHECK(unlink("many/file0") == 0 && rename("many/file919", "data/moved") == 0);
    list("many");
    list("data");
    struct dirent **names;
    int count = scandir("data", &names, NULL, alphasort);
    for (int i = 0; i < count; i++)
        printf("sorted %s\n", names[i]->d_name);
    return guest_done();
}
