/* A thread waits for a child, another for that thread, with a limit. */
static pthread_mutex_t reaper_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reaper_changed = PTHREAD_COND_INITIALIZER;
static int reaped = -1;                  /* how the child has ended */

static void *reap(void *child)
{
    int now = wait_for(*(pid_t *)child);
    pthread_mutex_lock(&reaper_lock);
    reaped = now;
    pthread_cond_signal(&reaper_changed);
    pthread_mutex_unlock(&reaper_lock);
    return NULL;
}

/* Until 200 ms after that; whether it had ended by then. */
static int is_reaped_after(struct timespec until)
{
    until.tv_nsec += 200000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&reaper_lock);
    while (reaped < 0 && pthread_cond_timedwait(&reaper_changed, &reaper_lock, &until) == 0) {
    }
    int is = reaped >= 0;
    pthread_mutex_unlock(&reaper_lock);
    return is;
}

/* The number of a child that ends with 3, but not before 900 ms have passed, as its own child does. */
static inline pid_t fork_waiting(void)
{
    pid_t child = fork();
    if (child)
        return child;
    pid_t grandchild = fork();
    if (grandchild == 0) {
        nap_ms(900);
        _exit(3);
    }
    _exit(WEXITSTATUS(wait_for(grandchild)));
}
