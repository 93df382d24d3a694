/* Growing byte buffers, allocation that ends the engine where it fails, a hash. */
#include "base/base.h"

#include <stdarg.h>

unsigned char *bytes_reserve(struct bytes *b, size_t n)
{
    if (b->used + n > b->size) {
        b->size = (b->used + n) * 2;
        b->data = realloc(b->data, b->size);
        if (!b->data)
            die("out of memory");
    }
    return b->data + b->used;
}

void bytes_add(struct bytes *b, const void *data, size_t n)
{
    unsigned char *room = bytes_reserve(b, n);
    if (n)
        memcpy(room, data, n);
    b->used += n;
}

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

void *zalloc(size_t size)
{
    void *p = calloc(1, size);
    if (!p)
        die("out of memory");
    return p;
}

/* Space for one more item; the capacity doubles at powers of two. */
void *grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    items = realloc(items, (count ? 2 * count : 1) * size);
    if (!items)
        die("out of memory");
    return items;
}

void streams_add(struct streams *s, uint32_t stream)
{
    s->id = grow(s->id, s->count, sizeof *s->id);
    s->id[s->count++] = stream;
}

bool streams_have(const struct streams *s, uint32_t stream)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->id[i] == stream)
            return true;
    return false;
}

char *text(const char *format, ...)
{
    char *result;
    va_list list;
    va_start(list, format);
    if (vasprintf(&result, format, list) < 0)
        die("out of memory");
    va_end(list);
    return result;
}

ull hash_bytes(const void *data, size_t n, ull seed)
{
    const unsigned char *p = data;
    ull h = 0xcbf29ce484222325ULL ^ seed;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ULL;
    return h ^ h >> 29;
}
