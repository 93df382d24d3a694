/* Generated from rex/syscalls/table.py; do not edit. */
#ifndef REX_GENERATED_SYSCALLS_H
#define REX_GENERATED_SYSCALLS_H

#define REX_CALL_COUNT 471
#define REX_IOCTL_COUNT 119
#define REX_INNER_COUNT 33

enum rex_policy {
    REX_NATIVE = 0, REX_EMULATE = 1, REX_CORRECT = 2, REX_STREAM = 3, REX_REFUSE = 4,
    REX_UNKNOWN = 5,
};
enum rex_stop {
    REX_STOP_NEVER = 0, REX_STOP_ALWAYS = 1, REX_STOP_STD = 2, REX_STOP_ERRNO = 3,
};
enum rex_key {
    REX_KEY_NONE = 0, REX_KEY_PATH = 1, REX_KEY_STREAM = 2, REX_KEY_ARG = 3,
};
enum rex_dir {
    REX_VALUE = 0, REX_IN = 1, REX_OUT = 2, REX_INOUT = 3,
};
enum rex_size {
    REX_SIZE_NONE = 0, REX_SIZE_CONST = 1, REX_SIZE_ARG = 2, REX_SIZE_DEREF = 3, REX_SIZE_RET = 4,
    REX_SIZE_STRING = 5, REX_SIZE_IOV = 6, REX_SIZE_MSG = 7, REX_SIZE_MMSG = 8, REX_SIZE_BITS = 9,
    REX_SIZE_IOCTL = 10,
};
enum rex_hook {
    REX_HOOK_NONE = 0, REX_HOOK_OPEN = 1, REX_HOOK_EXEC = 2, REX_HOOK_FORK = 3, REX_HOOK_WAIT = 4,
    REX_HOOK_KILL = 5, REX_HOOK_SLEEP = 6, REX_HOOK_PAUSE = 7, REX_HOOK_TID = 8, REX_HOOK_POLL = 9,
    REX_HOOK_SELECT = 10, REX_HOOK_EPOLL_WAIT = 11, REX_HOOK_EPOLL_CTL = 12, REX_HOOK_CHDIR = 13,
    REX_HOOK_TREE = 14, REX_HOOK_RLIMIT = 15, REX_HOOK_PID = 16, REX_HOOK_DUP = 17,
    REX_HOOK_CLOSE = 18, REX_HOOK_CLOSE_RANGE = 19, REX_HOOK_FCNTL = 20, REX_HOOK_SOCKET = 21,
    REX_HOOK_ACCEPT = 22, REX_HOOK_STREAM = 23, REX_HOOK_COPY = 24, REX_HOOK_EXIT = 25,
    REX_HOOK_IPC = 26, REX_HOOK_PEER = 27,
};
enum rex_op {
    REX_OP_NONE = 0, REX_OP_OPEN = 1, REX_OP_EXEC = 2, REX_OP_STAT = 3, REX_OP_ACCESS = 4,
    REX_OP_READLINK = 5, REX_OP_LIST = 6, REX_OP_GETXATTR = 7, REX_OP_LISTXATTR = 8,
    REX_OP_SETXATTR = 9, REX_OP_REMOVEXATTR = 10, REX_OP_MKDIR = 11, REX_OP_MKNOD = 12,
    REX_OP_SYMLINK = 13, REX_OP_LINK = 14, REX_OP_UNLINK = 15, REX_OP_RMDIR = 16,
    REX_OP_RENAME = 17, REX_OP_CHMOD = 18, REX_OP_CHOWN = 19, REX_OP_UTIME = 20,
    REX_OP_TRUNCATE = 21, REX_OP_READ = 22, REX_OP_PREAD = 23, REX_OP_WRITE = 24,
    REX_OP_PWRITE = 25, REX_OP_RECV = 26, REX_OP_SEND = 27, REX_OP_ACCEPT = 28,
    REX_OP_SOCKNAME = 29, REX_OP_CLOCK = 30, REX_OP_EPOLL = 31, REX_OP_SIGNALFD = 32,
    REX_OP_SEMOP = 33, REX_OP_FUTEX_WAIT = 34, REX_OP_FUTEX_WAKE = 35, REX_OP_PAGES = 36,
    REX_OP_REMAP = 37, REX_OP_LOCK_MEMORY = 38, REX_OP_PROCESS_OPTION = 39, REX_OP_TIMER = 40,
};
enum rex_word {
    REX_WORD_INT = 0, REX_WORD_UINT = 1, REX_WORD_MS = 2, REX_WORD_SIZE = 3, REX_WORD_OFF = 4,
    REX_WORD_FD = 5, REX_WORD_DIRFD = 6, REX_WORD_ADDR = 7, REX_WORD_FLAGS = 8, REX_WORD_MODE = 9,
    REX_WORD_PID = 10, REX_WORD_UID = 11, REX_WORD_GID = 12, REX_WORD_DEV = 13, REX_WORD_SIG = 14,
    REX_WORD_CLOCK = 15, REX_WORD_WHENCE = 16, REX_WORD_PROT = 17, REX_WORD_MAPFLAGS = 18,
    REX_WORD_OFLAGS = 19, REX_WORD_ACCESS = 20, REX_WORD_ATFLAGS = 21, REX_WORD_RMFLAGS = 22,
    REX_WORD_FDFLAGS = 23, REX_WORD_CLONEFLAGS = 24, REX_WORD_WAITOPTS = 25, REX_WORD_IDTYPE = 26,
    REX_WORD_SIGHOW = 27, REX_WORD_FAMILY = 28, REX_WORD_SOCKTYPE = 29, REX_WORD_MSGFLAGS = 30,
    REX_WORD_LEVEL = 31, REX_WORD_SHUTHOW = 32, REX_WORD_IOCTL = 33, REX_WORD_FCNTL = 34,
    REX_WORD_ITIMER = 35, REX_WORD_RESOURCE = 36, REX_WORD_FUTEXOP = 37, REX_WORD_EPOLLOP = 38,
    REX_WORD_ADVICE = 39, REX_WORD_FALLOCMODE = 40, REX_WORD_RENAMEFLAGS = 41, REX_WORD_LOCKOP = 42,
    REX_WORD_RANDFLAGS = 43, REX_WORD_PATH = 44, REX_WORD_STR = 45, REX_WORD_BUF = 46,
    REX_WORD_U32 = 47, REX_WORD_U64 = 48, REX_WORD_IDS = 49, REX_WORD_WSTATUS = 50,
    REX_WORD_STAT = 51, REX_WORD_STATX = 52, REX_WORD_STATFS = 53, REX_WORD_TIMESPEC = 54,
    REX_WORD_TIMEVAL = 55, REX_WORD_TIMEZONE = 56, REX_WORD_ITIMERSPEC = 57,
    REX_WORD_ITIMERVAL = 58, REX_WORD_UTSNAME = 59, REX_WORD_RUSAGE = 60, REX_WORD_SOCKADDR = 61,
    REX_WORD_POLLFD = 62, REX_WORD_FDSET = 63, REX_WORD_EPOLLEVENT = 64, REX_WORD_RLIMIT = 65,
    REX_WORD_SIGINFO = 66, REX_WORD_SIGSET = 67, REX_WORD_DIRENT = 68, REX_WORD_DIRENT64 = 69,
    REX_WORD_SYSINFO = 70, REX_WORD_TMS = 71, REX_WORD_CPUMASK = 72, REX_WORD_OPENHOW = 73,
    REX_WORD_CLONEARGS = 74, REX_WORD_IOCTLARG = 75, REX_WORD_IOV = 76, REX_WORD_MSGHDR = 77,
    REX_WORD_MMSGHDR = 78,
};

#define REX_NO_ARG 255 /* in size_arg, key_arg and limit_arg */

/* bytes: CONST unit; ARG unit * argument size_arg; DEREF unit * the u32 that argument size_arg
 * points to (outputs: the smaller of before and after the call); RET unit * result, or unit *
 * argument size_arg if that is smaller and not REX_NO_ARG; BITS (argument size_arg + 63) / 64 * 8;
 * IOCTL by rex_ioctls and the request in argument size_arg; STRING up to NUL. IOV, MMSG: argument
 * size_arg counts the elements of unit bytes each. */
struct rex_arg {
    unsigned char word, dir, size_kind, size_arg;
    unsigned unit;
};

/* op: what it does, whichever form it has; limit_arg: how long it may wait, REX_NO_ARG of others; fd_args: bit mask
 * of the arguments that are descriptors; query: only asks and returns at once; nofollow: a link as the last name is meant itself;
 * private: it wakes no other task; reported: the summary says that it was refused; err: positive errno of REX_REFUSE. */
struct rex_call {
    const char *name;
    unsigned char policy, stop, hook, op, key, key_arg, limit_arg, nargs, fd_args, query, nofollow, private, reported;
    short err;
    struct rex_arg arg[6];
};

/* ioctl requests whose number does not tell the size; of others, bits 16 to 29 are the size,
 * bit 30 says that the kernel reads it, bit 31 that it writes it. */
struct rex_ioctl {
    unsigned cmd;
    unsigned short in_bytes, out_bytes;
    unsigned char makes_fd;                  /* its result is a new descriptor */
};

/* Of some, what lies behind the pointer at pointer_at: head bytes, and unit bytes for each of a count
 * (count_bytes 0: there is none). sub: the number that it begins with, 0 = any. */
struct rex_inner {
    unsigned cmd, sub;
    unsigned short pointer_at, head, unit, count_at;
    unsigned char count_bytes, is_count_outside;
};

/* Gaps have name NULL, policy REX_UNKNOWN and stop REX_STOP_ALWAYS. */
extern const struct rex_call rex_calls[REX_CALL_COUNT];
extern const struct rex_ioctl rex_ioctls[REX_IOCTL_COUNT]; /* ascending by cmd */
extern const struct rex_inner rex_inners[REX_INNER_COUNT];

#define REX_NR_read 0
#define REX_NR_write 1
#define REX_NR_open 2
#define REX_NR_close 3
#define REX_NR_stat 4
#define REX_NR_fstat 5
#define REX_NR_lstat 6
#define REX_NR_poll 7
#define REX_NR_lseek 8
#define REX_NR_mmap 9
#define REX_NR_mprotect 10
#define REX_NR_munmap 11
#define REX_NR_brk 12
#define REX_NR_rt_sigaction 13
#define REX_NR_rt_sigprocmask 14
#define REX_NR_rt_sigreturn 15
#define REX_NR_ioctl 16
#define REX_NR_pread64 17
#define REX_NR_pwrite64 18
#define REX_NR_readv 19
#define REX_NR_writev 20
#define REX_NR_access 21
#define REX_NR_pipe 22
#define REX_NR_select 23
#define REX_NR_sched_yield 24
#define REX_NR_mremap 25
#define REX_NR_msync 26
#define REX_NR_mincore 27
#define REX_NR_madvise 28
#define REX_NR_shmget 29
#define REX_NR_shmat 30
#define REX_NR_shmctl 31
#define REX_NR_dup 32
#define REX_NR_dup2 33
#define REX_NR_pause 34
#define REX_NR_nanosleep 35
#define REX_NR_getitimer 36
#define REX_NR_alarm 37
#define REX_NR_setitimer 38
#define REX_NR_getpid 39
#define REX_NR_sendfile 40
#define REX_NR_socket 41
#define REX_NR_connect 42
#define REX_NR_accept 43
#define REX_NR_sendto 44
#define REX_NR_recvfrom 45
#define REX_NR_sendmsg 46
#define REX_NR_recvmsg 47
#define REX_NR_shutdown 48
#define REX_NR_bind 49
#define REX_NR_listen 50
#define REX_NR_getsockname 51
#define REX_NR_getpeername 52
#define REX_NR_socketpair 53
#define REX_NR_setsockopt 54
#define REX_NR_getsockopt 55
#define REX_NR_clone 56
#define REX_NR_fork 57
#define REX_NR_vfork 58
#define REX_NR_execve 59
#define REX_NR_exit 60
#define REX_NR_wait4 61
#define REX_NR_kill 62
#define REX_NR_uname 63
#define REX_NR_semget 64
#define REX_NR_semop 65
#define REX_NR_semctl 66
#define REX_NR_shmdt 67
#define REX_NR_msgget 68
#define REX_NR_msgsnd 69
#define REX_NR_msgrcv 70
#define REX_NR_msgctl 71
#define REX_NR_fcntl 72
#define REX_NR_flock 73
#define REX_NR_fsync 74
#define REX_NR_fdatasync 75
#define REX_NR_truncate 76
#define REX_NR_ftruncate 77
#define REX_NR_getdents 78
#define REX_NR_getcwd 79
#define REX_NR_chdir 80
#define REX_NR_fchdir 81
#define REX_NR_rename 82
#define REX_NR_mkdir 83
#define REX_NR_rmdir 84
#define REX_NR_creat 85
#define REX_NR_link 86
#define REX_NR_unlink 87
#define REX_NR_symlink 88
#define REX_NR_readlink 89
#define REX_NR_chmod 90
#define REX_NR_fchmod 91
#define REX_NR_chown 92
#define REX_NR_fchown 93
#define REX_NR_lchown 94
#define REX_NR_umask 95
#define REX_NR_gettimeofday 96
#define REX_NR_getrlimit 97
#define REX_NR_getrusage 98
#define REX_NR_sysinfo 99
#define REX_NR_times 100
#define REX_NR_ptrace 101
#define REX_NR_getuid 102
#define REX_NR_syslog 103
#define REX_NR_getgid 104
#define REX_NR_setuid 105
#define REX_NR_setgid 106
#define REX_NR_geteuid 107
#define REX_NR_getegid 108
#define REX_NR_setpgid 109
#define REX_NR_getppid 110
#define REX_NR_getpgrp 111
#define REX_NR_setsid 112
#define REX_NR_setreuid 113
#define REX_NR_setregid 114
#define REX_NR_getgroups 115
#define REX_NR_setgroups 116
#define REX_NR_setresuid 117
#define REX_NR_getresuid 118
#define REX_NR_setresgid 119
#define REX_NR_getresgid 120
#define REX_NR_getpgid 121
#define REX_NR_setfsuid 122
#define REX_NR_setfsgid 123
#define REX_NR_getsid 124
#define REX_NR_capget 125
#define REX_NR_capset 126
#define REX_NR_rt_sigpending 127
#define REX_NR_rt_sigtimedwait 128
#define REX_NR_rt_sigqueueinfo 129
#define REX_NR_rt_sigsuspend 130
#define REX_NR_sigaltstack 131
#define REX_NR_utime 132
#define REX_NR_mknod 133
#define REX_NR_uselib 134
#define REX_NR_personality 135
#define REX_NR_ustat 136
#define REX_NR_statfs 137
#define REX_NR_fstatfs 138
#define REX_NR_sysfs 139
#define REX_NR_getpriority 140
#define REX_NR_setpriority 141
#define REX_NR_sched_setparam 142
#define REX_NR_sched_getparam 143
#define REX_NR_sched_setscheduler 144
#define REX_NR_sched_getscheduler 145
#define REX_NR_sched_get_priority_max 146
#define REX_NR_sched_get_priority_min 147
#define REX_NR_sched_rr_get_interval 148
#define REX_NR_mlock 149
#define REX_NR_munlock 150
#define REX_NR_mlockall 151
#define REX_NR_munlockall 152
#define REX_NR_vhangup 153
#define REX_NR_modify_ldt 154
#define REX_NR_pivot_root 155
#define REX_NR__sysctl 156
#define REX_NR_prctl 157
#define REX_NR_arch_prctl 158
#define REX_NR_adjtimex 159
#define REX_NR_setrlimit 160
#define REX_NR_chroot 161
#define REX_NR_sync 162
#define REX_NR_acct 163
#define REX_NR_settimeofday 164
#define REX_NR_mount 165
#define REX_NR_umount2 166
#define REX_NR_swapon 167
#define REX_NR_swapoff 168
#define REX_NR_reboot 169
#define REX_NR_sethostname 170
#define REX_NR_setdomainname 171
#define REX_NR_iopl 172
#define REX_NR_ioperm 173
#define REX_NR_create_module 174
#define REX_NR_init_module 175
#define REX_NR_delete_module 176
#define REX_NR_get_kernel_syms 177
#define REX_NR_query_module 178
#define REX_NR_quotactl 179
#define REX_NR_nfsservctl 180
#define REX_NR_getpmsg 181
#define REX_NR_putpmsg 182
#define REX_NR_afs_syscall 183
#define REX_NR_tuxcall 184
#define REX_NR_security 185
#define REX_NR_gettid 186
#define REX_NR_readahead 187
#define REX_NR_setxattr 188
#define REX_NR_lsetxattr 189
#define REX_NR_fsetxattr 190
#define REX_NR_getxattr 191
#define REX_NR_lgetxattr 192
#define REX_NR_fgetxattr 193
#define REX_NR_listxattr 194
#define REX_NR_llistxattr 195
#define REX_NR_flistxattr 196
#define REX_NR_removexattr 197
#define REX_NR_lremovexattr 198
#define REX_NR_fremovexattr 199
#define REX_NR_tkill 200
#define REX_NR_time 201
#define REX_NR_futex 202
#define REX_NR_sched_setaffinity 203
#define REX_NR_sched_getaffinity 204
#define REX_NR_set_thread_area 205
#define REX_NR_io_setup 206
#define REX_NR_io_destroy 207
#define REX_NR_io_getevents 208
#define REX_NR_io_submit 209
#define REX_NR_io_cancel 210
#define REX_NR_get_thread_area 211
#define REX_NR_lookup_dcookie 212
#define REX_NR_epoll_create 213
#define REX_NR_epoll_ctl_old 214
#define REX_NR_epoll_wait_old 215
#define REX_NR_remap_file_pages 216
#define REX_NR_getdents64 217
#define REX_NR_set_tid_address 218
#define REX_NR_restart_syscall 219
#define REX_NR_semtimedop 220
#define REX_NR_fadvise64 221
#define REX_NR_timer_create 222
#define REX_NR_timer_settime 223
#define REX_NR_timer_gettime 224
#define REX_NR_timer_getoverrun 225
#define REX_NR_timer_delete 226
#define REX_NR_clock_settime 227
#define REX_NR_clock_gettime 228
#define REX_NR_clock_getres 229
#define REX_NR_clock_nanosleep 230
#define REX_NR_exit_group 231
#define REX_NR_epoll_wait 232
#define REX_NR_epoll_ctl 233
#define REX_NR_tgkill 234
#define REX_NR_utimes 235
#define REX_NR_vserver 236
#define REX_NR_mbind 237
#define REX_NR_set_mempolicy 238
#define REX_NR_get_mempolicy 239
#define REX_NR_mq_open 240
#define REX_NR_mq_unlink 241
#define REX_NR_mq_timedsend 242
#define REX_NR_mq_timedreceive 243
#define REX_NR_mq_notify 244
#define REX_NR_mq_getsetattr 245
#define REX_NR_kexec_load 246
#define REX_NR_waitid 247
#define REX_NR_add_key 248
#define REX_NR_request_key 249
#define REX_NR_keyctl 250
#define REX_NR_ioprio_set 251
#define REX_NR_ioprio_get 252
#define REX_NR_inotify_init 253
#define REX_NR_inotify_add_watch 254
#define REX_NR_inotify_rm_watch 255
#define REX_NR_migrate_pages 256
#define REX_NR_openat 257
#define REX_NR_mkdirat 258
#define REX_NR_mknodat 259
#define REX_NR_fchownat 260
#define REX_NR_futimesat 261
#define REX_NR_newfstatat 262
#define REX_NR_unlinkat 263
#define REX_NR_renameat 264
#define REX_NR_linkat 265
#define REX_NR_symlinkat 266
#define REX_NR_readlinkat 267
#define REX_NR_fchmodat 268
#define REX_NR_faccessat 269
#define REX_NR_pselect6 270
#define REX_NR_ppoll 271
#define REX_NR_unshare 272
#define REX_NR_set_robust_list 273
#define REX_NR_get_robust_list 274
#define REX_NR_splice 275
#define REX_NR_tee 276
#define REX_NR_sync_file_range 277
#define REX_NR_vmsplice 278
#define REX_NR_move_pages 279
#define REX_NR_utimensat 280
#define REX_NR_epoll_pwait 281
#define REX_NR_signalfd 282
#define REX_NR_timerfd_create 283
#define REX_NR_eventfd 284
#define REX_NR_fallocate 285
#define REX_NR_timerfd_settime 286
#define REX_NR_timerfd_gettime 287
#define REX_NR_accept4 288
#define REX_NR_signalfd4 289
#define REX_NR_eventfd2 290
#define REX_NR_epoll_create1 291
#define REX_NR_dup3 292
#define REX_NR_pipe2 293
#define REX_NR_inotify_init1 294
#define REX_NR_preadv 295
#define REX_NR_pwritev 296
#define REX_NR_rt_tgsigqueueinfo 297
#define REX_NR_perf_event_open 298
#define REX_NR_recvmmsg 299
#define REX_NR_fanotify_init 300
#define REX_NR_fanotify_mark 301
#define REX_NR_prlimit64 302
#define REX_NR_name_to_handle_at 303
#define REX_NR_open_by_handle_at 304
#define REX_NR_clock_adjtime 305
#define REX_NR_syncfs 306
#define REX_NR_sendmmsg 307
#define REX_NR_setns 308
#define REX_NR_getcpu 309
#define REX_NR_process_vm_readv 310
#define REX_NR_process_vm_writev 311
#define REX_NR_kcmp 312
#define REX_NR_finit_module 313
#define REX_NR_sched_setattr 314
#define REX_NR_sched_getattr 315
#define REX_NR_renameat2 316
#define REX_NR_seccomp 317
#define REX_NR_getrandom 318
#define REX_NR_memfd_create 319
#define REX_NR_kexec_file_load 320
#define REX_NR_bpf 321
#define REX_NR_execveat 322
#define REX_NR_userfaultfd 323
#define REX_NR_membarrier 324
#define REX_NR_mlock2 325
#define REX_NR_copy_file_range 326
#define REX_NR_preadv2 327
#define REX_NR_pwritev2 328
#define REX_NR_pkey_mprotect 329
#define REX_NR_pkey_alloc 330
#define REX_NR_pkey_free 331
#define REX_NR_statx 332
#define REX_NR_io_pgetevents 333
#define REX_NR_rseq 334
#define REX_NR_uretprobe 335
#define REX_NR_uprobe 336
#define REX_NR_pidfd_send_signal 424
#define REX_NR_io_uring_setup 425
#define REX_NR_io_uring_enter 426
#define REX_NR_io_uring_register 427
#define REX_NR_open_tree 428
#define REX_NR_move_mount 429
#define REX_NR_fsopen 430
#define REX_NR_fsconfig 431
#define REX_NR_fsmount 432
#define REX_NR_fspick 433
#define REX_NR_pidfd_open 434
#define REX_NR_clone3 435
#define REX_NR_close_range 436
#define REX_NR_openat2 437
#define REX_NR_pidfd_getfd 438
#define REX_NR_faccessat2 439
#define REX_NR_process_madvise 440
#define REX_NR_epoll_pwait2 441
#define REX_NR_mount_setattr 442
#define REX_NR_quotactl_fd 443
#define REX_NR_landlock_create_ruleset 444
#define REX_NR_landlock_add_rule 445
#define REX_NR_landlock_restrict_self 446
#define REX_NR_memfd_secret 447
#define REX_NR_process_mrelease 448
#define REX_NR_futex_waitv 449
#define REX_NR_set_mempolicy_home_node 450
#define REX_NR_cachestat 451
#define REX_NR_fchmodat2 452
#define REX_NR_map_shadow_stack 453
#define REX_NR_futex_wake 454
#define REX_NR_futex_wait 455
#define REX_NR_futex_requeue 456
#define REX_NR_statmount 457
#define REX_NR_listmount 458
#define REX_NR_lsm_get_self_attr 459
#define REX_NR_lsm_set_self_attr 460
#define REX_NR_lsm_list_modules 461
#define REX_NR_mseal 462
#define REX_NR_setxattrat 463
#define REX_NR_getxattrat 464
#define REX_NR_listxattrat 465
#define REX_NR_removexattrat 466
#define REX_NR_open_tree_attr 467
#define REX_NR_file_getattr 468
#define REX_NR_file_setattr 469
#define REX_NR_listns 470

#ifdef REX_CALLS_IMPLEMENTATION
const struct rex_call rex_calls[REX_CALL_COUNT] = {
    [0] = {"read", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_READ, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [1] = {"write", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_WRITE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [2] = {"open", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_OPEN, REX_OP_OPEN, REX_KEY_PATH, 0, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_OFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [3] = {"close", REX_STREAM, REX_STOP_STD, REX_HOOK_CLOSE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 1, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [4] = {"stat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_STAT, REX_KEY_PATH, 0, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STAT, REX_OUT, REX_SIZE_CONST, 255, 144}}},
    [5] = {"fstat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_STAT, REX_KEY_NONE, 255, 255, 2, 0x1, 1, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STAT, REX_OUT, REX_SIZE_CONST, 255, 144}}},
    [6] = {"lstat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_STAT, REX_KEY_PATH, 0, 255, 2, 0x0, 1, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STAT, REX_OUT, REX_SIZE_CONST, 255, 144}}},
    [7] = {"poll", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_POLL, REX_OP_NONE, REX_KEY_NONE, 255, 2, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_POLLFD, REX_INOUT, REX_SIZE_ARG, 1, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [8] = {"lseek", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 1, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_WHENCE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [9] = {"mmap", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x10, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PROT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MAPFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [10] = {"mprotect", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PAGES, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PROT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [11] = {"munmap", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PAGES, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [12] = {"brk", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [13] = {"rt_sigaction", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_CONST, 255, 32}, {REX_WORD_BUF, REX_OUT, REX_SIZE_CONST, 255, 32}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [14] = {"rt_sigprocmask", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIGHOW, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIGSET, REX_OUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [15] = {"rt_sigreturn", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [16] = {"ioctl", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOCTL, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOCTLARG, REX_INOUT, REX_SIZE_IOCTL, 1, 1}}},
    [17] = {"pread64", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_PREAD, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [18] = {"pwrite64", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_PWRITE, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [19] = {"readv", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_READ, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_OUT, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [20] = {"writev", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_WRITE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_IN, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [21] = {"access", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_ACCESS, REX_KEY_PATH, 0, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ACCESS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [22] = {"pipe", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_IDS, REX_OUT, REX_SIZE_CONST, 255, 8}}},
    [23] = {"select", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_SELECT, REX_OP_NONE, REX_KEY_NONE, 255, 4, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FDSET, REX_INOUT, REX_SIZE_BITS, 0, 8}, {REX_WORD_FDSET, REX_INOUT, REX_SIZE_BITS, 0, 8}, {REX_WORD_FDSET, REX_INOUT, REX_SIZE_BITS, 0, 8}, {REX_WORD_TIMEVAL, REX_INOUT, REX_SIZE_CONST, 255, 16}}},
    [24] = {"sched_yield", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [25] = {"mremap", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_REMAP, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [26] = {"msync", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PAGES, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [27] = {"mincore", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PAGES, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [28] = {"madvise", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PAGES, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADVICE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [29] = {"shmget", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [30] = {"shmat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [31] = {"shmctl", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [32] = {"dup", REX_STREAM, REX_STOP_STD, REX_HOOK_DUP, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 1, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [33] = {"dup2", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_DUP, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x3, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [34] = {"pause", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PAUSE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [35] = {"nanosleep", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_SLEEP, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_TIMESPEC, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [36] = {"getitimer", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ITIMER, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ITIMERVAL, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [37] = {"alarm", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_TIMER, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [38] = {"setitimer", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_TIMER, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ITIMER, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ITIMERVAL, REX_IN, REX_SIZE_CONST, 255, 32}, {REX_WORD_ITIMERVAL, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [39] = {"getpid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [40] = {"sendfile", REX_STREAM, REX_STOP_STD, REX_HOOK_COPY, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x3, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [41] = {"socket", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_SOCKET, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FAMILY, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKTYPE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [42] = {"connect", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_IN, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [43] = {"accept", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_ACCEPT, REX_OP_ACCEPT, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_OUT, REX_SIZE_DEREF, 2, 1}, {REX_WORD_U32, REX_INOUT, REX_SIZE_CONST, 255, 4}}},
    [44] = {"sendto", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_SEND, REX_KEY_STREAM, 0, 255, 6, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MSGFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_IN, REX_SIZE_ARG, 5, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [45] = {"recvfrom", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_RECV, REX_KEY_STREAM, 0, 255, 6, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MSGFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_OUT, REX_SIZE_DEREF, 5, 1}, {REX_WORD_U32, REX_INOUT, REX_SIZE_CONST, 255, 4}}},
    [46] = {"sendmsg", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_SEND, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MSGHDR, REX_IN, REX_SIZE_MSG, 255, 56}, {REX_WORD_MSGFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [47] = {"recvmsg", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_RECV, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MSGHDR, REX_OUT, REX_SIZE_MSG, 255, 56}, {REX_WORD_MSGFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [48] = {"shutdown", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SHUTHOW, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [49] = {"bind", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_IN, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [50] = {"listen", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [51] = {"getsockname", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_SOCKNAME, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 1, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_OUT, REX_SIZE_DEREF, 2, 1}, {REX_WORD_U32, REX_INOUT, REX_SIZE_CONST, 255, 4}}},
    [52] = {"getpeername", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_SOCKNAME, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 1, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_OUT, REX_SIZE_DEREF, 2, 1}, {REX_WORD_U32, REX_INOUT, REX_SIZE_CONST, 255, 4}}},
    [53] = {"socketpair", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FAMILY, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKTYPE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IDS, REX_OUT, REX_SIZE_CONST, 255, 8}}},
    [54] = {"setsockopt", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_LEVEL, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 4, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [55] = {"getsockopt", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 5, 0x1, 0, 0, 1, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_LEVEL, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_DEREF, 4, 1}, {REX_WORD_U32, REX_INOUT, REX_SIZE_CONST, 255, 4}}},
    [56] = {"clone", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_FORK, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_CLONEFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [57] = {"fork", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_FORK, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [58] = {"vfork", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_FORK, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [59] = {"execve", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EXEC, REX_OP_EXEC, REX_KEY_PATH, 0, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [60] = {"exit", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [61] = {"wait4", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_WAIT, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_WSTATUS, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_WAITOPTS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RUSAGE, REX_OUT, REX_SIZE_CONST, 255, 144}}},
    [62] = {"kill", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_KILL, REX_OP_NONE, REX_KEY_ARG, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [63] = {"uname", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_UTSNAME, REX_OUT, REX_SIZE_CONST, 255, 390}}},
    [64] = {"semget", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [65] = {"semop", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_SEMOP, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 2, 6}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [66] = {"semctl", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [67] = {"shmdt", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [68] = {"msgget", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [69] = {"msgsnd", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [70] = {"msgrcv", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [71] = {"msgctl", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [72] = {"fcntl", REX_STREAM, REX_STOP_STD, REX_HOOK_FCNTL, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FCNTL, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [73] = {"flock", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_LOCKOP, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [74] = {"fsync", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 1, 0x1, 0, 0, 1, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [75] = {"fdatasync", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 1, 0x1, 0, 0, 1, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [76] = {"truncate", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_TRUNCATE, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [77] = {"ftruncate", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [78] = {"getdents", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LIST, REX_KEY_NONE, 255, 255, 3, 0x1, 1, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_DIRENT, REX_OUT, REX_SIZE_RET, 255, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [79] = {"getcwd", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 255, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [80] = {"chdir", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_CHDIR, REX_OP_NONE, REX_KEY_PATH, 0, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [81] = {"fchdir", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_CHDIR, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [82] = {"rename", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_RENAME, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [83] = {"mkdir", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_MKDIR, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [84] = {"rmdir", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_RMDIR, REX_KEY_PATH, 0, 255, 1, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [85] = {"creat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_OPEN, REX_OP_OPEN, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [86] = {"link", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_LINK, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [87] = {"unlink", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_UNLINK, REX_KEY_PATH, 0, 255, 1, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [88] = {"symlink", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_SYMLINK, REX_KEY_PATH, 1, 255, 2, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [89] = {"readlink", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_READLINK, REX_KEY_PATH, 0, 255, 3, 0x0, 1, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 255, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [90] = {"chmod", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHMOD, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [91] = {"fchmod", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHMOD, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [92] = {"chown", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHOWN, REX_KEY_PATH, 0, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [93] = {"fchown", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHOWN, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [94] = {"lchown", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHOWN, REX_KEY_PATH, 0, 255, 3, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [95] = {"umask", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [96] = {"gettimeofday", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_CLOCK, REX_KEY_NONE, 255, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_TIMEVAL, REX_OUT, REX_SIZE_CONST, 255, 16}, {REX_WORD_TIMEZONE, REX_OUT, REX_SIZE_CONST, 255, 8}}},
    [97] = {"getrlimit", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_RESOURCE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RLIMIT, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [98] = {"getrusage", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RUSAGE, REX_OUT, REX_SIZE_CONST, 255, 144}}},
    [99] = {"sysinfo", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_SYSINFO, REX_OUT, REX_SIZE_CONST, 255, 112}}},
    [100] = {"times", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_TMS, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [101] = {"ptrace", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 1, 1, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [102] = {"getuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [103] = {"syslog", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [104] = {"getgid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [105] = {"setuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [106] = {"setgid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [107] = {"geteuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [108] = {"getegid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [109] = {"setpgid", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PID, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [110] = {"getppid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [111] = {"getpgrp", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [112] = {"setsid", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PID, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [113] = {"setreuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [114] = {"setregid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [115] = {"getgroups", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IDS, REX_OUT, REX_SIZE_RET, 0, 4}}},
    [116] = {"setgroups", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IDS, REX_IN, REX_SIZE_ARG, 0, 4}}},
    [117] = {"setresuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [118] = {"getresuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}}},
    [119] = {"setresgid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [120] = {"getresgid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}}},
    [121] = {"getpgid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [122] = {"setfsuid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [123] = {"setfsgid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [124] = {"getsid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [125] = {"capget", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_BUF, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_BUF, REX_OUT, REX_SIZE_CONST, 255, 24}}},
    [126] = {"capset", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_BUF, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_BUF, REX_IN, REX_SIZE_CONST, 255, 24}}},
    [127] = {"rt_sigpending", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIGSET, REX_OUT, REX_SIZE_ARG, 1, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [128] = {"rt_sigtimedwait", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 2, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIGINFO, REX_OUT, REX_SIZE_CONST, 255, 128}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [129] = {"rt_sigqueueinfo", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_KILL, REX_OP_NONE, REX_KEY_ARG, 0, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGINFO, REX_IN, REX_SIZE_CONST, 255, 128}}},
    [130] = {"rt_sigsuspend", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PAUSE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [131] = {"sigaltstack", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_BUF, REX_IN, REX_SIZE_CONST, 255, 24}, {REX_WORD_BUF, REX_OUT, REX_SIZE_CONST, 255, 24}}},
    [132] = {"utime", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_UTIME, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_U64, REX_IN, REX_SIZE_CONST, 255, 16}}},
    [133] = {"mknod", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_MKNOD, REX_KEY_PATH, 0, 255, 3, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_DEV, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [134] = {"uselib", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [135] = {"personality", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [136] = {"ustat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DEV, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [137] = {"statfs", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_PATH, 0, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STATFS, REX_OUT, REX_SIZE_CONST, 255, 120}}},
    [138] = {"fstatfs", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STATFS, REX_OUT, REX_SIZE_CONST, 255, 120}}},
    [139] = {"sysfs", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [140] = {"getpriority", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [141] = {"setpriority", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [142] = {"sched_setparam", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U32, REX_IN, REX_SIZE_CONST, 255, 4}}},
    [143] = {"sched_getparam", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}}},
    [144] = {"sched_setscheduler", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U32, REX_IN, REX_SIZE_CONST, 255, 4}}},
    [145] = {"sched_getscheduler", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [146] = {"sched_get_priority_max", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [147] = {"sched_get_priority_min", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [148] = {"sched_rr_get_interval", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [149] = {"mlock", REX_NATIVE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LOCK_MEMORY, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [150] = {"munlock", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [151] = {"mlockall", REX_NATIVE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LOCK_MEMORY, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [152] = {"munlockall", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [153] = {"vhangup", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 1, {{0, 0, 0, 255, 0}}},
    [154] = {"modify_ldt", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [155] = {"pivot_root", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [156] = {"_sysctl", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [157] = {"prctl", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PROCESS_OPTION, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [158] = {"arch_prctl", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [159] = {"adjtimex", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_BUF, REX_INOUT, REX_SIZE_CONST, 255, 208}}},
    [160] = {"setrlimit", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_RESOURCE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RLIMIT, REX_IN, REX_SIZE_CONST, 255, 16}}},
    [161] = {"chroot", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 1, 1, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [162] = {"sync", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [163] = {"acct", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [164] = {"settimeofday", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_TIMEVAL, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_TIMEZONE, REX_IN, REX_SIZE_CONST, 255, 8}}},
    [165] = {"mount", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 1, 1, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [166] = {"umount2", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [167] = {"swapon", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [168] = {"swapoff", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [169] = {"reboot", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [170] = {"sethostname", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 1, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [171] = {"setdomainname", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 1, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [172] = {"iopl", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [173] = {"ioperm", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [174] = {"create_module", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [175] = {"init_module", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [176] = {"delete_module", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [177] = {"get_kernel_syms", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [178] = {"query_module", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [179] = {"quotactl", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [180] = {"nfsservctl", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [181] = {"getpmsg", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [182] = {"putpmsg", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [183] = {"afs_syscall", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [184] = {"tuxcall", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [185] = {"security", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [186] = {"gettid", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 1, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [187] = {"readahead", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [188] = {"setxattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_SETXATTR, REX_KEY_PATH, 0, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [189] = {"lsetxattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_SETXATTR, REX_KEY_PATH, 0, 255, 5, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [190] = {"fsetxattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_SETXATTR, REX_KEY_NONE, 255, 255, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [191] = {"getxattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_GETXATTR, REX_KEY_PATH, 0, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [192] = {"lgetxattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_GETXATTR, REX_KEY_PATH, 0, 255, 4, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [193] = {"fgetxattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 1, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [194] = {"listxattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LISTXATTR, REX_KEY_PATH, 0, 255, 3, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [195] = {"llistxattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LISTXATTR, REX_KEY_PATH, 0, 255, 3, 0x0, 1, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [196] = {"flistxattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x1, 1, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [197] = {"removexattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_REMOVEXATTR, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [198] = {"lremovexattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_REMOVEXATTR, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [199] = {"fremovexattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_REMOVEXATTR, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [200] = {"tkill", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_KILL, REX_OP_NONE, REX_KEY_ARG, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [201] = {"time", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_CLOCK, REX_KEY_NONE, 255, 255, 1, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_U64, REX_OUT, REX_SIZE_CONST, 255, 8}}},
    [202] = {"futex", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 3, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FUTEXOP, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [203] = {"sched_setaffinity", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_CPUMASK, REX_IN, REX_SIZE_ARG, 1, 1}}},
    [204] = {"sched_getaffinity", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_CPUMASK, REX_OUT, REX_SIZE_RET, 255, 1}}},
    [205] = {"set_thread_area", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [206] = {"io_setup", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [207] = {"io_destroy", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [208] = {"io_getevents", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 4, 5, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [209] = {"io_submit", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [210] = {"io_cancel", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [211] = {"get_thread_area", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [212] = {"lookup_dcookie", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [213] = {"epoll_create", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_EPOLL, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [214] = {"epoll_ctl_old", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [215] = {"epoll_wait_old", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [216] = {"remap_file_pages", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PROT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MAPFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [217] = {"getdents64", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LIST, REX_KEY_NONE, 255, 255, 3, 0x1, 1, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_DIRENT64, REX_OUT, REX_SIZE_RET, 255, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [218] = {"set_tid_address", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TID, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [219] = {"restart_syscall", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [220] = {"semtimedop", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_IPC, REX_OP_SEMOP, REX_KEY_NONE, 255, 3, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 2, 6}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}}},
    [221] = {"fadvise64", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [222] = {"timer_create", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_ARG, 0, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_CONST, 255, 64}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}}},
    [223] = {"timer_settime", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ITIMERSPEC, REX_IN, REX_SIZE_CONST, 255, 32}, {REX_WORD_ITIMERSPEC, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [224] = {"timer_gettime", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ITIMERSPEC, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [225] = {"timer_getoverrun", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [226] = {"timer_delete", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [227] = {"clock_settime", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}}},
    [228] = {"clock_gettime", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_CLOCK, REX_KEY_ARG, 0, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [229] = {"clock_getres", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_ARG, 0, 255, 2, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [230] = {"clock_nanosleep", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_SLEEP, REX_OP_NONE, REX_KEY_ARG, 0, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_TIMESPEC, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [231] = {"exit_group", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EXIT, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [232] = {"epoll_wait", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EPOLL_WAIT, REX_OP_NONE, REX_KEY_NONE, 255, 3, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_EPOLLEVENT, REX_OUT, REX_SIZE_RET, 255, 12}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [233] = {"epoll_ctl", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EPOLL_CTL, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x5, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_EPOLLOP, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_EPOLLEVENT, REX_IN, REX_SIZE_CONST, 255, 12}}},
    [234] = {"tgkill", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_KILL, REX_OP_NONE, REX_KEY_ARG, 1, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [235] = {"utimes", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_UTIME, REX_KEY_PATH, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_TIMEVAL, REX_IN, REX_SIZE_CONST, 255, 32}}},
    [236] = {"vserver", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [237] = {"mbind", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [238] = {"set_mempolicy", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [239] = {"get_mempolicy", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_CPUMASK, REX_OUT, REX_SIZE_BITS, 2, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [240] = {"mq_open", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_SOCKET, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_OFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_IN, REX_SIZE_CONST, 255, 64}}},
    [241] = {"mq_unlink", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [242] = {"mq_timedsend", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 4, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}}},
    [243] = {"mq_timedreceive", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 4, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}}},
    [244] = {"mq_notify", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_CONST, 255, 64}}},
    [245] = {"mq_getsetattr", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_IN, REX_SIZE_CONST, 255, 64}, {REX_WORD_U64, REX_OUT, REX_SIZE_CONST, 255, 64}}},
    [246] = {"kexec_load", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [247] = {"waitid", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_WAIT, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_IDTYPE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGINFO, REX_OUT, REX_SIZE_CONST, 255, 128}, {REX_WORD_WAITOPTS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RUSAGE, REX_OUT, REX_SIZE_CONST, 255, 144}}},
    [248] = {"add_key", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [249] = {"request_key", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [250] = {"keyctl", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [251] = {"ioprio_set", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [252] = {"ioprio_get", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [253] = {"inotify_init", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_STREAM, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [254] = {"inotify_add_watch", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_PATH, 1, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [255] = {"inotify_rm_watch", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [256] = {"migrate_pages", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [257] = {"openat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_OPEN, REX_OP_OPEN, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_OFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [258] = {"mkdirat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_MKDIR, REX_KEY_PATH, 1, 255, 3, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [259] = {"mknodat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_MKNOD, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_DEV, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [260] = {"fchownat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHOWN, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_UID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_GID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [261] = {"futimesat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_UTIME, REX_KEY_PATH, 1, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_TIMEVAL, REX_IN, REX_SIZE_CONST, 255, 32}}},
    [262] = {"newfstatat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_STAT, REX_KEY_PATH, 1, 255, 4, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_STAT, REX_OUT, REX_SIZE_CONST, 255, 144}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [263] = {"unlinkat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_UNLINK, REX_KEY_PATH, 1, 255, 3, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_RMFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [264] = {"renameat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_RENAME, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [265] = {"linkat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_LINK, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [266] = {"symlinkat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_SYMLINK, REX_KEY_PATH, 2, 255, 3, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [267] = {"readlinkat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_READLINK, REX_KEY_PATH, 1, 255, 4, 0x0, 1, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 255, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [268] = {"fchmodat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHMOD, REX_KEY_PATH, 1, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [269] = {"faccessat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_ACCESS, REX_KEY_PATH, 1, 255, 3, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ACCESS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [270] = {"pselect6", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_SELECT, REX_OP_NONE, REX_KEY_NONE, 255, 4, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FDSET, REX_INOUT, REX_SIZE_BITS, 0, 8}, {REX_WORD_FDSET, REX_INOUT, REX_SIZE_BITS, 0, 8}, {REX_WORD_FDSET, REX_INOUT, REX_SIZE_BITS, 0, 8}, {REX_WORD_TIMESPEC, REX_INOUT, REX_SIZE_CONST, 255, 16}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [271] = {"ppoll", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_POLL, REX_OP_NONE, REX_KEY_NONE, 255, 2, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_POLLFD, REX_INOUT, REX_SIZE_ARG, 1, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_INOUT, REX_SIZE_CONST, 255, 16}, {REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [272] = {"unshare", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 1, 1, {{REX_WORD_CLONEFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [273] = {"set_robust_list", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [274] = {"get_robust_list", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [275] = {"splice", REX_STREAM, REX_STOP_STD, REX_HOOK_COPY, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 6, 0x5, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [276] = {"tee", REX_STREAM, REX_STOP_STD, REX_HOOK_COPY, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x3, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [277] = {"sync_file_range", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [278] = {"vmsplice", REX_STREAM, REX_STOP_STD, REX_HOOK_COPY, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_IN, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [279] = {"move_pages", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [280] = {"utimensat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_UTIME, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 32}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [281] = {"epoll_pwait", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EPOLL_WAIT, REX_OP_NONE, REX_KEY_NONE, 255, 3, 6, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_EPOLLEVENT, REX_OUT, REX_SIZE_RET, 255, 12}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [282] = {"signalfd", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_STREAM, REX_OP_SIGNALFD, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [283] = {"timerfd_create", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_STREAM, REX_OP_NONE, REX_KEY_ARG, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [284] = {"eventfd", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [285] = {"fallocate", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FALLOCMODE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [286] = {"timerfd_settime", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ITIMERSPEC, REX_IN, REX_SIZE_CONST, 255, 32}, {REX_WORD_ITIMERSPEC, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [287] = {"timerfd_gettime", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ITIMERSPEC, REX_OUT, REX_SIZE_CONST, 255, 32}}},
    [288] = {"accept4", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_ACCEPT, REX_OP_ACCEPT, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SOCKADDR, REX_OUT, REX_SIZE_DEREF, 2, 1}, {REX_WORD_U32, REX_INOUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_SOCKTYPE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [289] = {"signalfd4", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_STREAM, REX_OP_SIGNALFD, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [290] = {"eventfd2", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [291] = {"epoll_create1", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_EPOLL, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [292] = {"dup3", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_DUP, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x3, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [293] = {"pipe2", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_IDS, REX_OUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [294] = {"inotify_init1", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_STREAM, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [295] = {"preadv", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_PREAD, REX_KEY_STREAM, 0, 255, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_OUT, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [296] = {"pwritev", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_PWRITE, REX_KEY_STREAM, 0, 255, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_IN, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [297] = {"rt_tgsigqueueinfo", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_KILL, REX_OP_NONE, REX_KEY_ARG, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGINFO, REX_IN, REX_SIZE_CONST, 255, 128}}},
    [298] = {"perf_event_open", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x8, 0, 0, 0, 0, 13, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [299] = {"recvmmsg", REX_STREAM, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 4, 5, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MMSGHDR, REX_OUT, REX_SIZE_MMSG, 2, 64}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MSGFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_INOUT, REX_SIZE_CONST, 255, 16}}},
    [300] = {"fanotify_init", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [301] = {"fanotify_mark", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [302] = {"prlimit64", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_RLIMIT, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RESOURCE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RLIMIT, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_RLIMIT, REX_OUT, REX_SIZE_CONST, 255, 16}}},
    [303] = {"name_to_handle_at", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 95, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [304] = {"open_by_handle_at", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [305] = {"clock_adjtime", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_ARG, 0, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_INOUT, REX_SIZE_CONST, 255, 208}}},
    [306] = {"syncfs", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [307] = {"sendmmsg", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MMSGHDR, REX_IN, REX_SIZE_MMSG, 2, 64}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_MSGFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [308] = {"setns", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 1, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_CLONEFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [309] = {"getcpu", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_U32, REX_OUT, REX_SIZE_CONST, 255, 4}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [310] = {"process_vm_readv", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PEER, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [311] = {"process_vm_writev", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PEER, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [312] = {"kcmp", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [313] = {"finit_module", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [314] = {"sched_setattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_CONST, 255, 48}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [315] = {"sched_getattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_ARG, 2, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [316] = {"renameat2", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_RENAME, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 1, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_RENAMEFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [317] = {"seccomp", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [318] = {"getrandom", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_ARG, 1, 255, 3, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 255, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_RANDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [319] = {"memfd_create", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [320] = {"kexec_file_load", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x3, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [321] = {"bpf", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [322] = {"execveat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EXEC, REX_OP_EXEC, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [323] = {"userfaultfd", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_FDFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [324] = {"membarrier", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [325] = {"mlock2", REX_NATIVE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_LOCK_MEMORY, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [326] = {"copy_file_range", REX_STREAM, REX_STOP_STD, REX_HOOK_COPY, REX_OP_NONE, REX_KEY_STREAM, 0, 255, 6, 0x5, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_INOUT, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [327] = {"preadv2", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_PREAD, REX_KEY_STREAM, 0, 255, 6, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_OUT, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [328] = {"pwritev2", REX_STREAM, REX_STOP_STD, REX_HOOK_NONE, REX_OP_PWRITE, REX_KEY_STREAM, 0, 255, 6, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_IOV, REX_IN, REX_SIZE_IOV, 2, 16}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_OFF, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [329] = {"pkey_mprotect", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_PAGES, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PROT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [330] = {"pkey_alloc", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [331] = {"pkey_free", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [332] = {"statx", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_STAT, REX_KEY_PATH, 1, 255, 5, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STATX, REX_OUT, REX_SIZE_CONST, 255, 256}}},
    [333] = {"io_pgetevents", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 4, 6, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [334] = {"rseq", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [335] = {"uretprobe", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [336] = {"uprobe", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0x0, 0, 0, 0, 0, 38, {{0, 0, 0, 255, 0}}},
    [337] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [338] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [339] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [340] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [341] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [342] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [343] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [344] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [345] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [346] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [347] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [348] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [349] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [350] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [351] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [352] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [353] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [354] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [355] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [356] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [357] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [358] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [359] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [360] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [361] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [362] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [363] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [364] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [365] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [366] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [367] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [368] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [369] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [370] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [371] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [372] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [373] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [374] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [375] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [376] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [377] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [378] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [379] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [380] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [381] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [382] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [383] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [384] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [385] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [386] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [387] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [388] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [389] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [390] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [391] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [392] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [393] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [394] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [395] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [396] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [397] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [398] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [399] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [400] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [401] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [402] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [403] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [404] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [405] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [406] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [407] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [408] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [409] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [410] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [411] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [412] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [413] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [414] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [415] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [416] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [417] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [418] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [419] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [420] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [421] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [422] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [423] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 0, 0, 0, 0, 0, 0, 0, {{0, 0, 0, 255, 0}}},
    [424] = {"pidfd_send_signal", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_KILL, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIG, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIGINFO, REX_IN, REX_SIZE_CONST, 255, 128}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [425] = {"io_uring_setup", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [426] = {"io_uring_enter", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x1, 0, 0, 0, 0, 38, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [427] = {"io_uring_register", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 38, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [428] = {"open_tree", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [429] = {"move_mount", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [430] = {"fsopen", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [431] = {"fsconfig", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [432] = {"fsmount", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [433] = {"fspick", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [434] = {"pidfd_open", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_PID, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_PID, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [435] = {"clone3", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_FORK, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_CLONEARGS, REX_IN, REX_SIZE_ARG, 1, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [436] = {"close_range", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_CLOSE_RANGE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [437] = {"openat2", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_OPEN, REX_OP_OPEN, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_OPENHOW, REX_IN, REX_SIZE_ARG, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [438] = {"pidfd_getfd", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [439] = {"faccessat2", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_ACCESS, REX_KEY_PATH, 1, 255, 4, 0x0, 1, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ACCESS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [440] = {"process_madvise", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADVICE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [441] = {"epoll_pwait2", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_EPOLL_WAIT, REX_OP_NONE, REX_KEY_NONE, 255, 3, 6, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_EPOLLEVENT, REX_OUT, REX_SIZE_RET, 255, 12}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_TIMESPEC, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_SIGSET, REX_IN, REX_SIZE_CONST, 255, 8}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [442] = {"mount_setattr", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [443] = {"quotactl_fd", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 38, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [444] = {"landlock_create_ruleset", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 95, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [445] = {"landlock_add_rule", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 95, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [446] = {"landlock_restrict_self", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 95, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [447] = {"memfd_secret", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 1, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [448] = {"process_mrelease", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 2, 0x1, 0, 0, 0, 0, 1, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [449] = {"futex_waitv", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_FUTEX_WAIT, REX_KEY_NONE, 255, 3, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [450] = {"set_mempolicy_home_node", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [451] = {"cachestat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x1, 0, 0, 0, 0, 0, {{REX_WORD_FD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_U64, REX_IN, REX_SIZE_CONST, 255, 16}, {REX_WORD_U64, REX_OUT, REX_SIZE_CONST, 255, 40}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [452] = {"fchmodat2", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_CHMOD, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_MODE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [453] = {"map_shadow_stack", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [454] = {"futex_wake", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_FUTEX_WAKE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [455] = {"futex_wait", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_FUTEX_WAIT, REX_KEY_NONE, 255, 4, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_CLOCK, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [456] = {"futex_requeue", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_FUTEX_WAKE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_INT, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [457] = {"statmount", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [458] = {"listmount", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [459] = {"lsm_get_self_attr", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 95, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [460] = {"lsm_set_self_attr", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 95, {{REX_WORD_UINT, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [461] = {"lsm_list_modules", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 95, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [462] = {"mseal", REX_NATIVE, REX_STOP_NEVER, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 3, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [463] = {"setxattrat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_NONE, REX_KEY_PATH, 1, 255, 6, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 5, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [464] = {"getxattrat", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 6, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [465] = {"listxattrat", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_RET, 4, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [466] = {"removexattrat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_NONE, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_STR, REX_IN, REX_SIZE_STRING, 255, 0}}},
    [467] = {"open_tree_attr", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 5, 0x0, 0, 0, 0, 0, 1, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [468] = {"file_getattr", REX_EMULATE, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_OUT, REX_SIZE_ARG, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [469] = {"file_setattr", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_TREE, REX_OP_NONE, REX_KEY_PATH, 1, 255, 5, 0x0, 0, 0, 0, 0, 0, {{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}, {REX_WORD_BUF, REX_IN, REX_SIZE_ARG, 3, 1}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ATFLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
    [470] = {"listns", REX_REFUSE, REX_STOP_ERRNO, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, 255, 255, 4, 0x0, 0, 0, 0, 0, 38, {{REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_ADDR, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_SIZE, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_FLAGS, REX_VALUE, REX_SIZE_NONE, 255, 0}}},
};
const struct rex_ioctl rex_ioctls[REX_IOCTL_COUNT] = {
    {0x00000301, 0, 16, 0}, /* HDIO_GETGEO */
    {0x000007b9, 0, 4, 0}, /* VM_SOCKETS_GET_LOCAL_CID */
    {0x0000125d, 0, 4, 0}, /* BLKROGET */
    {0x00001260, 0, 8, 0}, /* BLKGETSIZE */
    {0x00001263, 0, 8, 0}, /* BLKRAGET */
    {0x00001267, 0, 2, 0}, /* BLKSECTGET */
    {0x00001268, 0, 4, 0}, /* BLKSSZGET */
    {0x00001278, 0, 4, 0}, /* BLKIOMIN */
    {0x00001279, 0, 4, 0}, /* BLKIOOPT */
    {0x0000127a, 0, 4, 0}, /* BLKALIGNOFF */
    {0x0000127b, 0, 4, 0}, /* BLKPBSZGET */
    {0x0000127c, 0, 4, 0}, /* BLKDISCARDZEROES */
    {0x0000127e, 0, 2, 0}, /* BLKROTATIONAL */
    {0x00004b33, 0, 1, 0}, /* KDGKBTYPE */
    {0x00004b3b, 0, 8, 0}, /* KDGETMODE */
    {0x00004b44, 0, 8, 0}, /* KDGKBMODE */
    {0x00004b64, 0, 1, 0}, /* KDGKBLED */
    {0x00005401, 0, 36, 0}, /* TCGETS */
    {0x00005402, 36, 0, 0}, /* TCSETS */
    {0x00005403, 36, 0, 0}, /* TCSETSW */
    {0x00005404, 36, 0, 0}, /* TCSETSF */
    {0x00005405, 0, 18, 0}, /* TCGETA */
    {0x00005406, 18, 0, 0}, /* TCSETA */
    {0x00005407, 18, 0, 0}, /* TCSETAW */
    {0x00005408, 18, 0, 0}, /* TCSETAF */
    {0x00005409, 0, 0, 0}, /* TCSBRK */
    {0x0000540a, 0, 0, 0}, /* TCXONC */
    {0x0000540b, 0, 0, 0}, /* TCFLSH */
    {0x0000540c, 0, 0, 0}, /* TIOCEXCL */
    {0x0000540d, 0, 0, 0}, /* TIOCNXCL */
    {0x0000540e, 0, 0, 0}, /* TIOCSCTTY */
    {0x0000540f, 0, 4, 0}, /* TIOCGPGRP */
    {0x00005410, 4, 0, 0}, /* TIOCSPGRP */
    {0x00005411, 0, 4, 0}, /* TIOCOUTQ */
    {0x00005412, 1, 0, 0}, /* TIOCSTI */
    {0x00005413, 0, 8, 0}, /* TIOCGWINSZ */
    {0x00005414, 8, 0, 0}, /* TIOCSWINSZ */
    {0x00005415, 0, 4, 0}, /* TIOCMGET */
    {0x00005416, 4, 0, 0}, /* TIOCMBIS */
    {0x00005417, 4, 0, 0}, /* TIOCMBIC */
    {0x00005418, 4, 0, 0}, /* TIOCMSET */
    {0x00005419, 0, 4, 0}, /* TIOCGSOFTCAR */
    {0x0000541a, 4, 0, 0}, /* TIOCSSOFTCAR */
    {0x0000541b, 0, 4, 0}, /* FIONREAD */
    {0x0000541d, 0, 0, 0}, /* TIOCCONS */
    {0x0000541e, 0, 72, 0}, /* TIOCGSERIAL */
    {0x00005420, 4, 0, 0}, /* TIOCPKT */
    {0x00005421, 4, 0, 0}, /* FIONBIO */
    {0x00005422, 0, 0, 0}, /* TIOCNOTTY */
    {0x00005423, 4, 0, 0}, /* TIOCSETD */
    {0x00005424, 0, 4, 0}, /* TIOCGETD */
    {0x00005425, 0, 0, 0}, /* TCSBRKP */
    {0x00005427, 0, 0, 0}, /* TIOCSBRK */
    {0x00005428, 0, 0, 0}, /* TIOCCBRK */
    {0x00005429, 0, 4, 0}, /* TIOCGSID */
    {0x0000542e, 0, 32, 0}, /* TIOCGRS485 */
    {0x00005441, 0, 0, 1}, /* TIOCGPTPEER */
    {0x00005450, 0, 0, 0}, /* FIONCLEX */
    {0x00005451, 0, 0, 0}, /* FIOCLEX */
    {0x00005452, 4, 0, 0}, /* FIOASYNC */
    {0x00005456, 0, 36, 0}, /* TIOCGLCKTRMIOS */
    {0x00005459, 0, 4, 0}, /* TIOCSERGETLSR */
    {0x0000545d, 0, 80, 0}, /* TIOCGICOUNT */
    {0x00005460, 0, 8, 0}, /* FIOQSIZE */
    {0x00005600, 0, 4, 0}, /* VT_OPENQRY */
    {0x00005601, 0, 8, 0}, /* VT_GETMODE */
    {0x00005603, 0, 6, 0}, /* VT_GETSTATE */
    {0x00008901, 4, 0, 0}, /* FIOSETOWN */
    {0x00008902, 4, 0, 0}, /* SIOCSPGRP */
    {0x00008903, 0, 4, 0}, /* FIOGETOWN */
    {0x00008904, 0, 4, 0}, /* SIOCGPGRP */
    {0x00008905, 0, 4, 0}, /* SIOCATMARK */
    {0x00008906, 0, 16, 0}, /* SIOCGSTAMP */
    {0x00008907, 0, 16, 0}, /* SIOCGSTAMPNS */
    {0x00008910, 40, 40, 0}, /* SIOCGIFNAME */
    {0x00008912, 4, 4, 0}, /* SIOCGIFCONF */
    {0x00008913, 40, 40, 0}, /* SIOCGIFFLAGS */
    {0x00008915, 40, 40, 0}, /* SIOCGIFADDR */
    {0x00008917, 40, 40, 0}, /* SIOCGIFDSTADDR */
    {0x00008919, 40, 40, 0}, /* SIOCGIFBRDADDR */
    {0x0000891b, 40, 40, 0}, /* SIOCGIFNETMASK */
    {0x0000891d, 40, 40, 0}, /* SIOCGIFMETRIC */
    {0x0000891f, 40, 40, 0}, /* SIOCGIFMEM */
    {0x00008921, 40, 40, 0}, /* SIOCGIFMTU */
    {0x00008925, 40, 40, 0}, /* SIOCGIFENCAP */
    {0x00008927, 40, 40, 0}, /* SIOCGIFHWADDR */
    {0x00008929, 40, 40, 0}, /* SIOCGIFSLAVE */
    {0x00008933, 40, 40, 0}, /* SIOCGIFINDEX */
    {0x00008935, 40, 40, 0}, /* SIOCGIFPFLAGS */
    {0x00008938, 0, 4, 0}, /* SIOCGIFCOUNT */
    {0x00008942, 40, 40, 0}, /* SIOCGIFTXQLEN */
    {0x00008946, 0, 0, 0}, /* SIOCETHTOOL */
    {0x00008947, 40, 40, 0}, /* SIOCGMIIPHY */
    {0x00008948, 40, 40, 0}, /* SIOCGMIIREG */
    {0x0000894b, 0, 4, 0}, /* SIOCOUTQNSD */
    {0x0000894c, 0, 0, 1}, /* SIOCGSKNS */
    {0x00008954, 68, 68, 0}, /* SIOCGARP */
    {0x00008970, 40, 40, 0}, /* SIOCGIFMAP */
    {0x000089b1, 0, 0, 0}, /* SIOCGHWTSTAMP */
    {0x000089f0, 0, 0, 0}, /* SIOCGETTUNNEL */
    {0x0000b701, 0, 0, 1}, /* NS_GET_USERNS */
    {0x0000b702, 0, 0, 1}, /* NS_GET_PARENT */
    {0x0000b703, 0, 0, 0}, /* NS_GET_NSTYPE */
    {0x0000b704, 0, 4, 0}, /* NS_GET_OWNER_UID */
    {0x40045431, 4, 0, 0}, /* TIOCSPTLCK */
    {0x400454ca, 40, 40, 0}, /* TUNSETIFF */
    {0x40049409, 0, 0, 0}, /* FICLONE */
    {0x40086602, 4, 0, 0}, /* FS_IOC_SETFLAGS */
    {0x80045200, 0, 4, 0}, /* RNDGETENTCNT */
    {0x80045430, 0, 4, 0}, /* TIOCGPTN */
    {0x80045432, 0, 4, 0}, /* TIOCGDEV */
    {0x80045438, 0, 4, 0}, /* TIOCGPKT */
    {0x80045439, 0, 4, 0}, /* TIOCGPTLCK */
    {0x80045440, 0, 4, 0}, /* TIOCGPTLCK */
    {0x800454cf, 0, 4, 0}, /* TUNGETFEATURES */
    {0x800454d2, 0, 40, 0}, /* TUNGETIFF */
    {0x80081272, 0, 8, 0}, /* BLKGETSIZE64 */
    {0x80086601, 0, 4, 0}, /* FS_IOC_GETFLAGS */
    {0x802c542a, 0, 44, 0}, /* TCGETS2 */
};
const struct rex_inner rex_inners[REX_INNER_COUNT] = {
    {0x8912, 0x0, 8, 0, 1, 0, 4, 1},
    {0x89b1, 0x0, 16, 12, 0, 0, 0, 0},
    {0x89f0, 0x0, 16, 52, 0, 0, 0, 0},
    {0x8946, 0x1, 16, 44, 0, 0, 0, 0},
    {0x8946, 0x3, 16, 196, 0, 0, 0, 0},
    {0x8946, 0x5, 16, 20, 0, 0, 0, 0},
    {0x8946, 0x7, 16, 8, 0, 0, 0, 0},
    {0x8946, 0xa, 16, 8, 0, 0, 0, 0},
    {0x8946, 0xe, 16, 92, 0, 0, 0, 0},
    {0x8946, 0x10, 16, 36, 0, 0, 0, 0},
    {0x8946, 0x12, 16, 16, 0, 0, 0, 0},
    {0x8946, 0x14, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x16, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x18, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x1e, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x21, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x23, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x25, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x27, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x2b, 16, 8, 0, 0, 0, 0},
    {0x8946, 0x3c, 16, 36, 0, 0, 0, 0},
    {0x8946, 0x41, 16, 44, 0, 0, 0, 0},
    {0x8946, 0x42, 16, 44, 0, 0, 0, 0},
    {0x8946, 0x44, 16, 40, 0, 0, 0, 0},
    {0x8946, 0x4, 16, 12, 1, 8, 4, 0},
    {0x8946, 0xb, 16, 16, 1, 12, 4, 0},
    {0x8946, 0x1a, 16, 16, 8, 12, 4, 0},
    {0x8946, 0x1b, 16, 12, 32, 8, 4, 0},
    {0x8946, 0x1d, 16, 8, 8, 4, 4, 0},
    {0x8946, 0x20, 16, 8, 1, 4, 4, 0},
    {0x8946, 0x37, 16, 20, 0, 0, 0, 0},
    {0x8946, 0x3a, 16, 8, 16, 4, 4, 0},
    {0x8946, 0x4c, 16, 48, 12, 15, 1, 0},
};
#endif

#endif
