/* Maps files private and shared, and writes through the mapping and the descriptor.
 *
 * live: yes
 * shows: clone, ftruncate, mmap, msync, munmap, newfstatat, pread64, pwrite64, read
 * source: shared memory, mapped files
 */
#include "guest.h"

int main(void)
{
    struct stat s;
    int in = open("in.txt", O_RDWR), out = open("mapped", O_RDWR | O_CREAT, 0644);
    CHECK(in >= 0 && out >= 0 && fstat(in, &s) == 0 && ftruncate(out, 10000) == 0);
    char *private = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0);
    char *shared = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, in, 0);
    char *large = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0);
    CHECK(private != MAP_FAILED && shared != MAP_FAILED && large != MAP_FAILED);
    close(in);
    printf("private %.3s shared %.3s\n", private, shared);
    memcpy(private, "PRI", 3);
    memcpy(shared + 4, "SHA", 3);
    memcpy(large + 5000, "far inside", 10);
    pid_t child = fork();
    if (child == 0) {
        memcpy(large, "from the child", 14);
        _exit(0);
    }
    CHECK(wait_for(child) == 0 && msync(large, 10000, MS_SYNC) == 0);
    printf("private %.7s shared %.7s large %.14s\n", private, shared, large);
    show_file("in.txt");
    char text[16] = "";
    CHECK(pread(out, text, 10, 5000) == 10 && pwrite(out, "by a call", 9, 6000) == 9);
    printf("%s, %.9s\n", text, large + 6000);
    CHECK(munmap(large, 10000) == 0 && munmap(shared, s.st_size) == 0);
    int data = open("data/a.txt", O_RDONLY);
    const char *only = mmap(NULL, 4096, PROT_READ, MAP_SHARED, data, 0);
    CHECK(only != MAP_FAILED);
    printf("only read: %.10s\n", only);
    CHECK(mmap(NULL, 10, PROT_WRITE, MAP_SHARED, data, 0) == MAP_FAILED && errno == EACCES);
    return guest_done();
}
