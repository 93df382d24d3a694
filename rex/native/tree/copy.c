/* Copies of files. */
#include "base/base.h"
#include "tree/tree.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

bool copy_bytes(int from, int to)
{
    ssize_t n;
    while ((n = sendfile(to, from, NULL, 1 << 30)) > 0 || (n < 0 && errno == EINTR))
        ;
    return n == 0;
}

/* The kernel reads the loader's name from the file, not from memory: it is put behind the end. */
bool program_with_loader(const char *program, const char *loader, const char *copy)
{
    int in = open(program, O_RDONLY | O_CLOEXEC), out = open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    Elf64_Ehdr h;
    bool good = in >= 0 && out >= 0 && copy_bytes(in, out) && pread(out, &h, sizeof h, 0) == sizeof h;
    off_t end = lseek(out, 0, SEEK_END);
    for (int i = 0; good && i < h.e_phnum; i++) {
        Elf64_Phdr p;
        off_t at = (off_t)(h.e_phoff + (size_t)i * sizeof p);
        if (pread(out, &p, sizeof p, at) != sizeof p || p.p_type != PT_INTERP)
            continue;
        p.p_offset = (Elf64_Off)end;
        p.p_filesz = strlen(loader) + 1;
        good = pwrite(out, loader, p.p_filesz, end) == (ssize_t)p.p_filesz && pwrite(out, &p, sizeof p, at) == sizeof p;
    }
    close(in);
    close(out);
    return good;
}
