/* The part of the stub that keeps hidden files hidden; only fastpath/stub.c includes it.
 * A name without a hidden component leads to a hidden file only through links.  So the stub answers a query if no component of its name is
 * a link.  The ring holds directories for which the stub or the engine has found that. */
#ifndef REX_STUB_HIDDEN_H
#define REX_STUB_HIDDEN_H

PART bool follows_here(const struct rule *rule, const uint64_t *args)
{
    return !rule->nofollow && (rule->flags == NO_FLAGS || !(args[rule->flags] & AT_SYMLINK_NOFOLLOW));
}

/* How long the directory of a name is, without its slash; 0: the working directory, a descriptor's or the root. */
PART uint32_t directory_length(const char *path, uint32_t n)
{
    while (n && path[n - 1] != '/') {
        __asm__ volatile("" : "+r"(n));
        n--;
    }
    return n ? n - 1 : 0;
}

/* The first n bytes of a name, which is there, are a link.  room: for the name. */
PART bool is_link(uint64_t dirfd, const char *path, uint32_t n, char *room)
{
    struct stat *st = (struct stat *)room;
    char *name = room + sizeof *st;
    copy(name, path, n);
    name[n] = 0;
    return kernel(REX_NR_newfstatat, dirfd, (uint64_t)name, (uint64_t)st, AT_SYMLINK_NOFOLLOW) || (st->st_mode & S_IFMT) == S_IFLNK;
}

PART bool is_name_known(const struct ring *ring, const char *path, uint32_t n)
{
    uint64_t hash = clean_hash(HIDDEN->changes, path, n);
    return ring->clean[hash % CLEAN_SLOTS] == hash;
}

PART bool is_directory_known(struct ring *ring, const char *path, uint32_t n, char *room)
{
    uint64_t hash = clean_hash(HIDDEN->changes, path, n), *known = &ring->clean[hash % CLEAN_SLOTS];
    if (*known == hash)
        return true;
    uint32_t above = directory_length(path, n);
    uint64_t above_hash = clean_hash(HIDDEN->changes, path, above);
    if ((above && ring->clean[above_hash % CLEAN_SLOTS] != above_hash) || is_link((uint64_t)AT_FDCWD, path, n, room))
        return false;
    *known = hash;
    return true;
}

/* The directories of a name that begins at a descriptor are not remembered: that may be another's soon. */
PART bool has_no_links(uint64_t dirfd, const char *path, uint32_t n, char *room)
{
    while (n && !is_link(dirfd, path, n, room))
        n = directory_length(path, n);
    return !n;
}

/* The name is an attribute's, of the file of a descriptor. */
PART bool is_attribute(const struct rule *rule)
{
    return rule->key == 0;
}

/* What the kernel has answered is not of what is hidden, as far as can be seen here. */
PART bool is_way_known(struct ring *ring, const struct rule *rule, const uint64_t *args, int64_t result)
{
    const char *path = (const char *)args[rule->path];
    uint64_t dirfd = rule->path ? args[0] : (uint64_t)AT_FDCWD;
    char *room = (char *)ring->data + ring->at + BEHIND_FIELDS;
    if (!HIDDEN->count || !path || !is_name_good(rule, args, result) || is_attribute(rule))
        return true;
    uint32_t n = length_of(path), above = n == LONGEST_PATH ? 0 : directory_length(path, n);
    bool is_below = path[0] != '/' && (int)dirfd != AT_FDCWD;
    if (n == LONGEST_PATH || (above && !(is_below ? has_no_links(dirfd, path, above, room) : is_directory_known(ring, path, above, room))))
        return false;
    return !n || !follows_here(rule, args) || !is_link(dirfd, path, n, room) || (!is_below && is_name_known(ring, path, n));
}

/* What was listed, without what is hidden there. */
PART int64_t shown(const struct rule *rule, const uint64_t *args, int64_t n)
{
    unsigned char *entries = (unsigned char *)args[1];
    for (uint64_t i = 0; i < HIDDEN->count && n > 0; i++) {
        uint64_t at = hidden_entry(&HIDDEN->item[i], entries, (uint64_t)n, rule->lists_as_of_old ? OLD_NAME_AT : NAME_AT);
        struct stat st;
        if (at < (uint64_t)n && !kernel(REX_NR_fstat, args[0], (uint64_t)&st, 0, 0) && hidden_is_above(&HIDDEN->item[i], &st))
            n = (int64_t)hidden_drop_entry(entries, (uint64_t)n, at);
    }
    return n;
}

#endif
