"""A program that tries to reach a directory by every call and by every name; it prints what does not say that nothing is there.

Usage: own_archive_looks.py NAME TIMES, beside a directory `sub`, a file `file`, a link `link` to NAME and a link `inner` into it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import sys

name, times = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *args: object) -> int:
    result = libc.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return int(result)


def bind(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)


def send(path: str, is_connecting: bool) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.connect(path) if is_connecting else s.sendto(b"x", path)


def send_messages(path: str) -> None:
    """The second of two messages goes to the path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        other.bind(b"\0" + os.urandom(8).hex().encode())
        names = [ctypes.create_string_buffer(b"\1\0" + name) for name in (other.getsockname(), path.encode())]
        part = (ctypes.c_uint64 * 2)(ctypes.addressof(names[0]), 1)
        heads = [[ctypes.addressof(name), len(name.raw) - 1, ctypes.addressof(part), 1, 0, 0, 0, 0] for name in names]
        if call(307, s.fileno(), (ctypes.c_uint64 * 16)(*heads[0], *heads[1]), 2, 0) == 1:
            raise OSError(errno.ECONNREFUSED, "the first was sent")


def below(path: str) -> None:
    """With the working directory as its root."""
    os.close(call(437, here, ("/../" + path).encode(), (ctypes.c_uint64 * 3)(0, 0, 0x10), 24))


def opened(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


here = os.open(".", os.O_RDONLY)
ways = {"relative": name, "absolute": os.path.abspath(name), "dots": f"sub/.././{name}", "inside": f"{name}/packs",
        "file": f"{name}/rex-archive.json", "link": "link/packs", "link to it": "link/.", "inner link": "inner",
        "cwd": f"/proc/self/cwd/{name}", "descriptor": f"/proc/self/fd/{here}/{name}", "there and back": f"{name}/../sub"}
calls = {
    "stat": os.stat, "access": lambda p: os.access(p, os.F_OK) or call(21, p.encode(), 0), "open": lambda p: opened(p, os.O_RDONLY),
    "path": lambda p: opened(p, os.O_PATH), "create": lambda p: opened(p, os.O_CREAT | os.O_WRONLY), "list": os.listdir,
    "statfs": os.statvfs, "chdir": os.chdir, "chmod": lambda p: os.chmod(p, 0o700), "chown": lambda p: os.chown(p, -1, -1), "utime": os.utime,
    "truncate": lambda p: os.truncate(p, 0),
    "xattr": lambda p: os.listxattr(p), "set": lambda p: os.setxattr(p, "user.a", b"b"),
    "exec": lambda p: os.execv(p, ["x"]), "at": lambda p: os.stat(p, dir_fd=here), "open at": lambda p: os.open(p, os.O_RDONLY, dir_fd=here),
    "statx": lambda p: call(332, here, p.encode(), 0, 0xfff, ctypes.create_string_buffer(256)),
    "connect": lambda p: send(p, True), "send to": lambda p: send(p, False),
    "message": lambda p: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b"x"], [], 0, p), "messages": send_messages,
    "openat2": lambda p: call(437, here, p.encode(), (ctypes.c_uint64 * 3)(), 24),
}
by_entry = {"from": lambda p: os.rename(p, "moved"), "to": lambda p: os.rename("file", p), "lstat": os.lstat, "unlink": os.unlink, "rmdir": os.rmdir, "readlink": os.readlink, "mkdir": os.mkdir, "fifo": os.mkfifo, "mknod": os.mknod,
            "symlink": lambda p: os.symlink("x", p), "link": lambda p: os.link(p, "hard"), "onto": lambda p: os.link("file", p),
            "bind": bind, "lchown": lambda p: os.lchown(p, -1, -1)}
links = {"link to it", "inner link"}
own_root = {"name": name, "inside": f"{name}/packs", "new": f"{name}/new", "dots": f"sub/../{name}/.", "link": "link/packs", "link to it": "link",
            "there and back": f"{name}/../sub"}
for _ in range(times):
    for way, path in own_root.items():
        try:
            below(path)
            print("own root:", way, "done")
        except OSError as error:
            if error.errno != errno.ENOENT:
                print("own root:", way, errno.errorcode[error.errno])
    for way, path in ways.items():
        for what, function in {**calls, **({} if way in links else by_entry)}.items():
            try:
                function(path)
                print(way, what, "done")
            except OSError as error:
                if error.errno != errno.ENOENT:
                    print(way, what, errno.errorcode[error.errno])

    for number, at in ((217, 19), (78, 18)):
        for size in (32, 64, 4096):
            fd, seen = os.open(".", os.O_RDONLY | os.O_DIRECTORY), []
            room = ctypes.create_string_buffer(size)
            while (n := call(number, fd, room, size)):
                entry = 0
                while entry < n:
                    length = int.from_bytes(room.raw[entry + 16:entry + 18], "little")
                    seen.append(room.raw[entry + at:entry + length].split(b"\0")[0].decode())
                    entry += length
            os.close(fd)
            if sorted(seen) != [".", "..", "file", "inner", "link", "sub"]:
                print("listing", number, size, sorted(seen))
print(sorted(os.listdir(".")))
print("done")
