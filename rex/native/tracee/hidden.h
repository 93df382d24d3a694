/* Directories of this machine that the tracee does not have: the archive that it is recorded into, and the cache.
 * Both the engine and the code in tracees (fastpath/stub.c) look here: no function of it may call another one of ours. */
#ifndef REX_TRACEE_HIDDEN_H
#define REX_TRACEE_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The directory above one of them, which lists its name.  path: as the kernel has it, length 0 if it does not fit. */
struct hidden { uint64_t above_dev, above_ino; uint32_t name_length, length; char name[256], path[1024]; };
enum { MOST_HIDDEN = 6, OLD_NAME_AT = 18, NAME_AT = 19 };    /* where a name is in an entry of getdents, of getdents64 */
/* changes: counts links that were made, and names that were moved, as others may mean something else by then. */
struct hidden_all { uint64_t count, changes; struct hidden item[MOST_HIDDEN]; };

#define HIDDEN_PART static inline __attribute__((always_inline, no_sanitize("address", "undefined")))

/* No call of memcmp(): code in tracees has none. */
HIDDEN_PART bool hidden_equal(const char *a, const char *b, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && a[i] == b[i]) {
        __asm__ volatile("" : "+r"(i));
        i++;
    }
    return i == n;
}

/* A path as the kernel has it, of n bytes, is one of them or below one. */
HIDDEN_PART bool hidden_has_path(const struct hidden_all *all, const char *path, uint64_t n)
{
    for (uint64_t i = 0; i < all->count; i++) {
        const struct hidden *h = &all->item[i];
        if (h->length && n >= h->length && (n == h->length || path[h->length] == '/') && hidden_equal(path, h->path, h->length))
            return true;
    }
    return false;
}

/* Where the first component of a path ends that has the name of one of them, which may lead there; 0: there is none. */
HIDDEN_PART uint32_t hidden_name_end(const struct hidden_all *all, const char *path, uint32_t n)
{
    for (uint64_t i = 0; i < all->count; i++) {
        const struct hidden *h = &all->item[i];
        for (uint32_t at = 0; at + h->name_length <= n; at++) {
            uint32_t end = at + h->name_length;
            if (path[at] == h->name[0] && (!at || path[at - 1] == '/') && (end == n || path[end] == '/')
                && hidden_equal(path + at, h->name, h->name_length))
                return end;
            __asm__ volatile("" : "+r"(at));
        }
    }
    return 0;
}

HIDDEN_PART bool hidden_is_above(const struct hidden *h, const struct stat *st)
{
    return h->above_ino == st->st_ino && h->above_dev == st->st_dev;
}

/* A directory's name of n bytes, until names come to mean something else. */
HIDDEN_PART uint64_t clean_hash(uint64_t changes, const char *path, uint32_t n)
{
    uint64_t hash = 0xcbf29ce484222325ULL + changes;
    for (uint32_t i = 0; i < n; i++) {
        hash = (hash ^ (unsigned char)path[i]) * 0x100000001b3ULL;
        __asm__ volatile("" : "+r"(i));
    }
    return hash ^ hash >> 32;
}

HIDDEN_PART uint64_t hidden_entry_size(const unsigned char *entry)
{
    return *(const uint16_t *)(entry + 2 * sizeof(uint64_t));
}

/* The entry of that name among n bytes that a directory's listing gave; n: there is none. */
HIDDEN_PART uint64_t hidden_entry(const struct hidden *h, const unsigned char *entries, uint64_t n, uint32_t name_at)
{
    uint64_t at = 0;
    while (at < n) {
        const char *name = (const char *)entries + at + name_at;
        if (name[0] == h->name[0] && hidden_equal(name, h->name, h->name_length + 1))
            return at;
        if (!hidden_entry_size(entries + at))        /* another thread has written there */
            return n;
        at += hidden_entry_size(entries + at);
        __asm__ volatile("" : "+r"(at));
    }
    return n;
}

/* The n bytes without that entry: how many are left. */
HIDDEN_PART uint64_t hidden_drop_entry(unsigned char *entries, uint64_t n, uint64_t at)
{
    uint64_t size = hidden_entry_size(entries + at), rest = n - at - size;
    unsigned char *to = entries + at, *from = to + size;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(rest) : : "memory");
    return n - size;
}

#endif
