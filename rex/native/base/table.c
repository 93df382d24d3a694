/* Maps from strings to pointers: open addressing, a power of two of slots. */
#include "base/base.h"

static struct slot *table_find(const struct table *t, const char *key)
{
    size_t i = hash_bytes(key, strlen(key), 0) & (t->size - 1);
    while (t->slot[i].key && strcmp(t->slot[i].key, key))
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

void *table_get(const struct table *t, const char *key)
{
    return t->size ? table_find(t, key)->value : NULL;
}

void **table_at(struct table *t, const char *key)
{
    if (2 * (t->used + 1) > t->size) {
        struct table bigger = {.size = t->size ? 2 * t->size : 64};
        bigger.slot = zalloc(bigger.size * sizeof *bigger.slot);
        bigger.used = t->used;
        for (size_t i = 0; i < t->size; i++)
            if (t->slot[i].key)
                *table_find(&bigger, t->slot[i].key) = t->slot[i];
        free(t->slot);
        *t = bigger;
    }
    struct slot *s = table_find(t, key);
    if (!s->key) {
        s->key = strdup(key);
        t->used++;
    }
    return &s->value;
}

void **table_at_file(struct table *t, uint64_t device, uint64_t inode)
{
    char name[48];
    snprintf(name, sizeof name, "%llx %llx", (ull)device, (ull)inode);
    return table_at(t, name);
}
