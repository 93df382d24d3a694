"""The ioctl requests whose size the request number does not tell, and the names of common ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ioctl:
    """One request: the bytes that it reads from memory (in) and stores there (out)."""

    cmd: int
    name: str
    in_bytes: int
    out_bytes: int


_LEGACY = (
    Ioctl(0x5401, "TCGETS", 0, 36), Ioctl(0x5402, "TCSETS", 36, 0), Ioctl(0x5403, "TCSETSW", 36, 0),
    Ioctl(0x5404, "TCSETSF", 36, 0), Ioctl(0x5405, "TCGETA", 0, 18), Ioctl(0x5406, "TCSETA", 18, 0),
    Ioctl(0x5407, "TCSETAW", 18, 0), Ioctl(0x5408, "TCSETAF", 18, 0), Ioctl(0x5409, "TCSBRK", 0, 0),
    Ioctl(0x540A, "TCXONC", 0, 0), Ioctl(0x540B, "TCFLSH", 0, 0), Ioctl(0x540C, "TIOCEXCL", 0, 0),
    Ioctl(0x540D, "TIOCNXCL", 0, 0), Ioctl(0x540E, "TIOCSCTTY", 0, 0), Ioctl(0x540F, "TIOCGPGRP", 0, 4),
    Ioctl(0x5410, "TIOCSPGRP", 4, 0), Ioctl(0x5411, "TIOCOUTQ", 0, 4), Ioctl(0x5412, "TIOCSTI", 1, 0),
    Ioctl(0x5413, "TIOCGWINSZ", 0, 8), Ioctl(0x5414, "TIOCSWINSZ", 8, 0), Ioctl(0x5415, "TIOCMGET", 0, 4),
    Ioctl(0x5416, "TIOCMBIS", 4, 0), Ioctl(0x5417, "TIOCMBIC", 4, 0), Ioctl(0x5418, "TIOCMSET", 4, 0),
    Ioctl(0x5419, "TIOCGSOFTCAR", 0, 4), Ioctl(0x541A, "TIOCSSOFTCAR", 4, 0), Ioctl(0x541B, "FIONREAD", 0, 4),
    Ioctl(0x541D, "TIOCCONS", 0, 0), Ioctl(0x5420, "TIOCPKT", 4, 0), Ioctl(0x5421, "FIONBIO", 4, 0),
    Ioctl(0x5422, "TIOCNOTTY", 0, 0), Ioctl(0x5423, "TIOCSETD", 4, 0), Ioctl(0x5424, "TIOCGETD", 0, 4),
    Ioctl(0x5425, "TCSBRKP", 0, 0), Ioctl(0x5427, "TIOCSBRK", 0, 0), Ioctl(0x5428, "TIOCCBRK", 0, 0),
    Ioctl(0x5429, "TIOCGSID", 0, 4), Ioctl(0x5450, "FIONCLEX", 0, 0), Ioctl(0x5451, "FIOCLEX", 0, 0),
    Ioctl(0x5452, "FIOASYNC", 4, 0), Ioctl(0x5460, "FIOQSIZE", 0, 8), Ioctl(0x125D, "BLKROGET", 0, 4),
    Ioctl(0x1260, "BLKGETSIZE", 0, 8), Ioctl(0x1268, "BLKSSZGET", 0, 4), Ioctl(0x127B, "BLKPBSZGET", 0, 4),
    Ioctl(0x8901, "FIOSETOWN", 4, 0), Ioctl(0x8902, "SIOCSPGRP", 4, 0), Ioctl(0x8903, "FIOGETOWN", 0, 4),
    Ioctl(0x8904, "SIOCGPGRP", 0, 4), Ioctl(0x8905, "SIOCATMARK", 0, 4), Ioctl(0x8906, "SIOCGSTAMP", 0, 16),
    Ioctl(0x8910, "SIOCGIFNAME", 40, 40), Ioctl(0x8913, "SIOCGIFFLAGS", 40, 40),
    Ioctl(0x8915, "SIOCGIFADDR", 40, 40), Ioctl(0x8917, "SIOCGIFDSTADDR", 40, 40),
    Ioctl(0x8919, "SIOCGIFBRDADDR", 40, 40), Ioctl(0x891B, "SIOCGIFNETMASK", 40, 40),
    Ioctl(0x891D, "SIOCGIFMETRIC", 40, 40), Ioctl(0x8921, "SIOCGIFMTU", 40, 40),
    Ioctl(0x8927, "SIOCGIFHWADDR", 40, 40), Ioctl(0x8933, "SIOCGIFINDEX", 40, 40),
    Ioctl(0x8942, "SIOCGIFTXQLEN", 40, 40),
)
IOCTLS: dict[int, Ioctl] = {entry.cmd: entry for entry in _LEGACY}

# Requests whose number carries the size are listed for their names, or where the number is wrong
# about what moves (FS_IOC_GETFLAGS says long and moves an int).
for _entry in (Ioctl(0x80045430, "TIOCGPTN", 0, 4), Ioctl(0x40045431, "TIOCSPTLCK", 4, 0),
               Ioctl(0x802C542A, "TCGETS2", 0, 44), Ioctl(0x80086601, "FS_IOC_GETFLAGS", 0, 4),
               Ioctl(0x40086602, "FS_IOC_SETFLAGS", 4, 0), Ioctl(0x40049409, "FICLONE", 0, 0),
               Ioctl(0x80081272, "BLKGETSIZE64", 0, 8), Ioctl(0x80045440, "TIOCGPTLCK", 0, 4),
               Ioctl(0x5441, "TIOCGPTPEER", 0, 0), Ioctl(0x80045432, "TIOCGDEV", 0, 4)):
    IOCTLS[_entry.cmd] = _entry


def ioctl(cmd: int) -> Ioctl:
    """The request of that number; an unknown one is read off the number's size and direction bits."""
    cmd &= 0xFFFFFFFF
    if cmd in IOCTLS:
        return IOCTLS[cmd]
    size, direction = cmd >> 16 & 0x3FFF, cmd >> 30
    return Ioctl(cmd, f"{cmd:#x}", size if direction & 1 else 0, size if direction & 2 else 0)
