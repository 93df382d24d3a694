"""The kernel's names for numbers, as strace prints them: enumerations and flag sets of x86-64."""

from __future__ import annotations

import errno
import os
import signal
from dataclasses import dataclass


def _table(text: str) -> dict[int, str]:
    pairs = (item.split("=") for item in text.split())
    return {int(value, 0): name for name, value in pairs}


def _count(text: str) -> dict[int, str]:
    return dict(enumerate(text.split()))


@dataclass(frozen=True)
class Enumeration:
    """Numbers with one name each."""

    names: dict[int, str]

    def __call__(self, value: int) -> str:
        return self.names.get(value) or (hex(value) if value > 0xFFFF else str(value))


@dataclass(frozen=True)
class Flags:
    """Bits with names; below them, under `mask`, may lie an enumeration."""

    bits: dict[int, str]
    low: dict[int, str] | None = None
    mask: int = 0

    def __call__(self, value: int) -> str:
        names, rest = [], value & ~self.mask
        if self.low is not None:
            names.append(self.low.get(value & self.mask, hex(value & self.mask)))
        for bit in sorted(self.bits, key=lambda b: (-b.bit_count(), b)):
            if bit and rest & bit == bit:
                names.append(self.bits[bit])
                rest &= ~bit
        if rest:
            names.append(hex(rest))
        return "|".join(names) or self.bits.get(0, "0")


SIGNALS: dict[int, str] = {sig.value: sig.name for sig in signal.Signals
                           if sig.name not in ("SIGRTMIN", "SIGRTMAX")}
# Results that only a tracer sees: the kernel restarts the call or turns them into EINTR.
RESTARTS = {512: "ERESTARTSYS", 513: "ERESTARTNOINTR", 514: "ERESTARTNOHAND", 516: "ERESTART_RESTARTBLOCK"}


def signal_name(number: int) -> str:
    """SIGINT, SIGRT_3, or the number."""
    if 32 <= number <= 64:
        return f"SIGRT_{number - 32}"
    return SIGNALS.get(number, str(number))


def error_name(number: int) -> str:
    """ENOENT (No such file or directory), for a positive number."""
    if number in RESTARTS:
        return f"{RESTARTS[number]} (To be restarted)"
    return f"{errno.errorcode[number]} ({os.strerror(number)})" if number in errno.errorcode else f"errno {number}"


OPEN = Flags(_table("O_CREAT=0o100 O_EXCL=0o200 O_NOCTTY=0o400 O_TRUNC=0o1000 O_APPEND=0o2000 O_NONBLOCK=0o4000 "
                    "O_DSYNC=0o10000 O_ASYNC=0o20000 O_DIRECT=0o40000 O_LARGEFILE=0o100000 O_DIRECTORY=0o200000 "
                    "O_NOFOLLOW=0o400000 O_NOATIME=0o1000000 O_CLOEXEC=0o2000000 O_SYNC=0o4010000 "
                    "O_PATH=0o10000000 O_TMPFILE=0o20200000"), _count("O_RDONLY O_WRONLY O_RDWR O_ACCMODE"), 3)
FD = Flags(_table("O_NONBLOCK=0o4000 O_CLOEXEC=0o2000000 EFD_SEMAPHORE=1"))
AT = Flags(_table("AT_SYMLINK_NOFOLLOW=0x100 AT_EACCESS=0x200 AT_SYMLINK_FOLLOW=0x400 AT_NO_AUTOMOUNT=0x800 "
                  "AT_EMPTY_PATH=0x1000 AT_STATX_FORCE_SYNC=0x2000 AT_STATX_DONT_SYNC=0x4000 AT_RECURSIVE=0x8000"))
RM = Flags(_table("AT_REMOVEDIR=0x200"))
ACCESS = Flags(_table("F_OK=0 X_OK=1 W_OK=2 R_OK=4"))
CLONE = Flags(_table("CLONE_NEWTIME=0x80 CLONE_VM=0x100 CLONE_FS=0x200 CLONE_FILES=0x400 CLONE_SIGHAND=0x800 "
                     "CLONE_PIDFD=0x1000 CLONE_PTRACE=0x2000 CLONE_VFORK=0x4000 CLONE_PARENT=0x8000 "
                     "CLONE_THREAD=0x10000 CLONE_NEWNS=0x20000 CLONE_SYSVSEM=0x40000 CLONE_SETTLS=0x80000 "
                     "CLONE_PARENT_SETTID=0x100000 CLONE_CHILD_CLEARTID=0x200000 CLONE_DETACHED=0x400000 "
                     "CLONE_UNTRACED=0x800000 CLONE_CHILD_SETTID=0x1000000 CLONE_NEWCGROUP=0x2000000 "
                     "CLONE_NEWUTS=0x4000000 CLONE_NEWIPC=0x8000000 CLONE_NEWUSER=0x10000000 "
                     "CLONE_NEWPID=0x20000000 CLONE_NEWNET=0x40000000 CLONE_IO=0x80000000 "
                     "CLONE_CLEAR_SIGHAND=0x100000000 CLONE_INTO_CGROUP=0x200000000"))
WAIT = Flags(_table("WNOHANG=1 WSTOPPED=2 WEXITED=4 WCONTINUED=8 WNOWAIT=0x1000000 __WNOTHREAD=0x20000000 "
                    "__WALL=0x40000000 __WCLONE=0x80000000"))
PROT = Flags(_table("PROT_NONE=0 PROT_READ=1 PROT_WRITE=2 PROT_EXEC=4"))
MAP = Flags(_table("MAP_FIXED=0x10 MAP_ANONYMOUS=0x20 MAP_32BIT=0x40 MAP_GROWSDOWN=0x100 MAP_DENYWRITE=0x800 "
                   "MAP_LOCKED=0x2000 MAP_NORESERVE=0x4000 MAP_POPULATE=0x8000 MAP_NONBLOCK=0x10000 "
                   "MAP_STACK=0x20000 MAP_HUGETLB=0x40000 MAP_FIXED_NOREPLACE=0x100000"),
            _count("0 MAP_SHARED MAP_PRIVATE MAP_SHARED_VALIDATE"), 15)
MSG = Flags(_table("MSG_OOB=1 MSG_PEEK=2 MSG_DONTROUTE=4 MSG_CTRUNC=8 MSG_TRUNC=0x20 MSG_DONTWAIT=0x40 MSG_EOR=0x80 "
                   "MSG_WAITALL=0x100 MSG_CONFIRM=0x800 MSG_ERRQUEUE=0x2000 MSG_NOSIGNAL=0x4000 MSG_MORE=0x8000 "
                   "MSG_WAITFORONE=0x10000 MSG_FASTOPEN=0x20000000 MSG_CMSG_CLOEXEC=0x40000000"))
SOCKTYPE = Flags(_table("SOCK_NONBLOCK=0o4000 SOCK_CLOEXEC=0o2000000"),
                 _table("0=0 SOCK_STREAM=1 SOCK_DGRAM=2 SOCK_RAW=3 SOCK_RDM=4 SOCK_SEQPACKET=5"), 15)
ACCEPT = Flags(_table("SOCK_NONBLOCK=0o4000 SOCK_CLOEXEC=0o2000000"))
FAMILY = Enumeration(_table("AF_UNSPEC=0 AF_UNIX=1 AF_INET=2 AF_INET6=10 AF_NETLINK=16 AF_PACKET=17 AF_ALG=38 "
                            "AF_VSOCK=40 AF_BLUETOOTH=31 AF_XDP=44"))
LEVEL = Enumeration(_table("SOL_IP=0 SOL_SOCKET=1 SOL_TCP=6 SOL_UDP=17 SOL_IPV6=41 SOL_NETLINK=270"))
CLOCK = Enumeration(_count("CLOCK_REALTIME CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID CLOCK_THREAD_CPUTIME_ID "
                           "CLOCK_MONOTONIC_RAW CLOCK_REALTIME_COARSE CLOCK_MONOTONIC_COARSE CLOCK_BOOTTIME "
                           "CLOCK_REALTIME_ALARM CLOCK_BOOTTIME_ALARM CLOCK_SGI_CYCLE CLOCK_TAI"))
WHENCE = Enumeration(_count("SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE"))
IDTYPE = Enumeration(_count("P_ALL P_PID P_PGID P_PIDFD"))
SIGHOW = Enumeration(_count("SIG_BLOCK SIG_UNBLOCK SIG_SETMASK"))
SHUTDOWN = Enumeration(_count("SHUT_RD SHUT_WR SHUT_RDWR"))
ITIMER = Enumeration(_count("ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF"))
RESOURCE = Enumeration(_count("RLIMIT_CPU RLIMIT_FSIZE RLIMIT_DATA RLIMIT_STACK RLIMIT_CORE RLIMIT_RSS RLIMIT_NPROC "
                              "RLIMIT_NOFILE RLIMIT_MEMLOCK RLIMIT_AS RLIMIT_LOCKS RLIMIT_SIGPENDING "
                              "RLIMIT_MSGQUEUE RLIMIT_NICE RLIMIT_RTPRIO RLIMIT_RTTIME"))
FUTEX = Flags(_table("FUTEX_PRIVATE_FLAG=0x80 FUTEX_CLOCK_REALTIME=0x100"),
              _count("FUTEX_WAIT FUTEX_WAKE FUTEX_FD FUTEX_REQUEUE FUTEX_CMP_REQUEUE FUTEX_WAKE_OP FUTEX_LOCK_PI "
                     "FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAIT_BITSET FUTEX_WAKE_BITSET FUTEX_WAIT_REQUEUE_PI "
                     "FUTEX_CMP_REQUEUE_PI FUTEX_LOCK_PI2"), 0x7F)
EPOLL_OP = Enumeration(_table("EPOLL_CTL_ADD=1 EPOLL_CTL_DEL=2 EPOLL_CTL_MOD=3"))
MADVICE = Enumeration(_table("MADV_NORMAL=0 MADV_RANDOM=1 MADV_SEQUENTIAL=2 MADV_WILLNEED=3 MADV_DONTNEED=4 "
                             "MADV_FREE=8 MADV_REMOVE=9 MADV_DONTFORK=10 MADV_DOFORK=11 MADV_MERGEABLE=12 "
                             "MADV_HUGEPAGE=14 MADV_NOHUGEPAGE=15 MADV_DONTDUMP=16 MADV_COLD=20 MADV_PAGEOUT=21"))
FALLOCATE = Flags(_table("FALLOC_FL_KEEP_SIZE=1 FALLOC_FL_PUNCH_HOLE=2 FALLOC_FL_COLLAPSE_RANGE=8 "
                         "FALLOC_FL_ZERO_RANGE=0x10 FALLOC_FL_INSERT_RANGE=0x20 FALLOC_FL_UNSHARE_RANGE=0x40"))
RENAME = Flags(_table("RENAME_NOREPLACE=1 RENAME_EXCHANGE=2 RENAME_WHITEOUT=4"))
LOCK = Flags(_table("LOCK_SH=1 LOCK_EX=2 LOCK_NB=4 LOCK_UN=8"))
RANDOM = Flags(_table("GRND_NONBLOCK=1 GRND_RANDOM=2 GRND_INSECURE=4"))
FCNTL = Enumeration(_table("F_DUPFD=0 F_GETFD=1 F_SETFD=2 F_GETFL=3 F_SETFL=4 F_GETLK=5 F_SETLK=6 F_SETLKW=7 "
                           "F_SETOWN=8 F_GETOWN=9 F_SETSIG=10 F_GETSIG=11 F_SETOWN_EX=15 F_GETOWN_EX=16 "
                           "F_OFD_GETLK=36 F_OFD_SETLK=37 F_OFD_SETLKW=38 F_SETLEASE=1024 F_GETLEASE=1025 "
                           "F_NOTIFY=1026 F_DUPFD_QUERY=1027 F_DUPFD_CLOEXEC=1030 F_SETPIPE_SZ=1031 "
                           "F_GETPIPE_SZ=1032 F_ADD_SEALS=1033 F_GET_SEALS=1034"))
POLL = Flags(_table("POLLIN=1 POLLPRI=2 POLLOUT=4 POLLERR=8 POLLHUP=16 POLLNVAL=32 POLLRDNORM=64 POLLRDBAND=128 "
                    "POLLWRNORM=256 POLLWRBAND=512 POLLMSG=0x400 POLLRDHUP=0x2000"))
EPOLL = Flags(_table("EPOLLIN=1 EPOLLPRI=2 EPOLLOUT=4 EPOLLERR=8 EPOLLHUP=16 EPOLLRDNORM=64 EPOLLRDBAND=128 "
                     "EPOLLWRNORM=256 EPOLLWRBAND=512 EPOLLMSG=0x400 EPOLLRDHUP=0x2000 EPOLLEXCLUSIVE=0x10000000 "
                     "EPOLLWAKEUP=0x20000000 EPOLLONESHOT=0x40000000 EPOLLET=0x80000000"))
FILE_TYPE = _table("S_IFIFO=0o010000 S_IFCHR=0o020000 S_IFDIR=0o040000 S_IFBLK=0o060000 S_IFREG=0o100000 "
                   "S_IFLNK=0o120000 S_IFSOCK=0o140000")
SI_CODE = _table("SI_USER=0 SI_KERNEL=0x80 SI_QUEUE=-1 SI_TIMER=-2 SI_MESGQ=-3 SI_ASYNCIO=-4 SI_SIGIO=-5 SI_TKILL=-6")
CLD_CODE = _count("SI_USER CLD_EXITED CLD_KILLED CLD_DUMPED CLD_TRAPPED CLD_STOPPED CLD_CONTINUED")
