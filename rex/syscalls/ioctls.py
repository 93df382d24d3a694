"""The ioctl requests whose size the request number does not tell, and the names of common ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ioctl:
    """One request: the bytes that it reads from memory (in) and stores there (out), and whether its result is a new descriptor."""

    cmd: int
    name: str
    in_bytes: int
    out_bytes: int
    makes_fd: bool = False


@dataclass(frozen=True)
class Inner:
    """What the kernel stores behind a pointer that lies in a request's structure: head bytes, and unit bytes for each of count.

    Attributes:
        sub: the number with which the memory behind the pointer begins, where that says what is wanted; 0: any.
        pointer_at: where in the structure the pointer lies.
        count_at, count_bytes: where the count lies, and its size, 0 = there is none; negative counts are none.
        is_count_outside: it lies in the structure, not behind the pointer.
    """

    cmd: int
    sub: int
    pointer_at: int
    head: int
    unit: int = 0
    count_at: int = 0
    count_bytes: int = 0
    is_count_outside: bool = False


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
    Ioctl(0x8942, "SIOCGIFTXQLEN", 40, 40), Ioctl(0x8970, "SIOCGIFMAP", 40, 40), Ioctl(0x891F, "SIOCGIFMEM", 40, 40),
    Ioctl(0x8925, "SIOCGIFENCAP", 40, 40), Ioctl(0x8929, "SIOCGIFSLAVE", 40, 40), Ioctl(0x8935, "SIOCGIFPFLAGS", 40, 40),
    Ioctl(0x8938, "SIOCGIFCOUNT", 0, 4), Ioctl(0x8947, "SIOCGMIIPHY", 40, 40), Ioctl(0x8948, "SIOCGMIIREG", 40, 40),
    Ioctl(0x8912, "SIOCGIFCONF", 4, 4), Ioctl(0x8946, "SIOCETHTOOL", 0, 0), Ioctl(0x89B1, "SIOCGHWTSTAMP", 0, 0),
    Ioctl(0x89F0, "SIOCGETTUNNEL", 0, 0), Ioctl(0x894B, "SIOCOUTQNSD", 0, 4), Ioctl(0x8907, "SIOCGSTAMPNS", 0, 16),
    Ioctl(0x8954, "SIOCGARP", 68, 68), Ioctl(0x545D, "TIOCGICOUNT", 0, 80), Ioctl(0x541E, "TIOCGSERIAL", 0, 72),
    Ioctl(0x542E, "TIOCGRS485", 0, 32), Ioctl(0x5456, "TIOCGLCKTRMIOS", 0, 36), Ioctl(0x5459, "TIOCSERGETLSR", 0, 4),
    Ioctl(0x4B33, "KDGKBTYPE", 0, 1), Ioctl(0x4B3B, "KDGETMODE", 0, 8), Ioctl(0x4B44, "KDGKBMODE", 0, 8),
    Ioctl(0x4B64, "KDGKBLED", 0, 1), Ioctl(0x5600, "VT_OPENQRY", 0, 4), Ioctl(0x5601, "VT_GETMODE", 0, 8),
    Ioctl(0x5603, "VT_GETSTATE", 0, 6), Ioctl(0x0301, "HDIO_GETGEO", 0, 16), Ioctl(0x1263, "BLKRAGET", 0, 8),
    Ioctl(0x1267, "BLKSECTGET", 0, 2), Ioctl(0x1278, "BLKIOMIN", 0, 4), Ioctl(0x1279, "BLKIOOPT", 0, 4),
    Ioctl(0x127A, "BLKALIGNOFF", 0, 4), Ioctl(0x127C, "BLKDISCARDZEROES", 0, 4), Ioctl(0x127E, "BLKROTATIONAL", 0, 2),
    Ioctl(0x07B9, "VM_SOCKETS_GET_LOCAL_CID", 0, 4), Ioctl(0x80045200, "RNDGETENTCNT", 0, 4), Ioctl(0x80045438, "TIOCGPKT", 0, 4),
    Ioctl(0x80045439, "TIOCGPTLCK", 0, 4), Ioctl(0x800454CF, "TUNGETFEATURES", 0, 4),
    Ioctl(0xB701, "NS_GET_USERNS", 0, 0, True), Ioctl(0xB702, "NS_GET_PARENT", 0, 0, True), Ioctl(0xB703, "NS_GET_NSTYPE", 0, 0),
    Ioctl(0xB704, "NS_GET_OWNER_UID", 0, 4), Ioctl(0x894C, "SIOCGSKNS", 0, 0, True),
)

_ETHTOOL, _IFR_DATA = 0x8946, 16
_FIXED = {0x01: 44, 0x03: 196, 0x05: 20, 0x07: 8, 0x0A: 8, 0x0E: 92, 0x10: 36, 0x12: 16, 0x14: 8, 0x16: 8, 0x18: 8, 0x1E: 8,
          0x21: 8, 0x23: 8, 0x25: 8, 0x27: 8, 0x2B: 8, 0x3C: 36, 0x41: 44, 0x42: 44, 0x44: 40}      # ETHTOOL_GSET and others
INNER = (
    Inner(0x8912, 0, 8, 0, 1, 0, 4, True),                  # SIOCGIFCONF: a list of interfaces
    Inner(0x89B1, 0, _IFR_DATA, 12), Inner(0x89F0, 0, _IFR_DATA, 52),
    *(Inner(_ETHTOOL, sub, _IFR_DATA, size) for sub, size in _FIXED.items()),
    Inner(_ETHTOOL, 0x04, _IFR_DATA, 12, 1, 8, 4), Inner(_ETHTOOL, 0x0B, _IFR_DATA, 16, 1, 12, 4),      # GREGS, GEEPROM
    Inner(_ETHTOOL, 0x1A, _IFR_DATA, 16, 8, 12, 4), Inner(_ETHTOOL, 0x1B, _IFR_DATA, 12, 32, 8, 4),     # TEST, GSTRINGS
    Inner(_ETHTOOL, 0x1D, _IFR_DATA, 8, 8, 4, 4), Inner(_ETHTOOL, 0x20, _IFR_DATA, 8, 1, 4, 4),         # GSTATS, GPERMADDR
    Inner(_ETHTOOL, 0x37, _IFR_DATA, 20), Inner(_ETHTOOL, 0x3A, _IFR_DATA, 8, 16, 4, 4),                # GSSET_INFO, GFEATURES
    Inner(_ETHTOOL, 0x4C, _IFR_DATA, 48, 12, 15, 1),                                                    # GLINKSETTINGS
)
IOCTLS: dict[int, Ioctl] = {entry.cmd: entry for entry in _LEGACY}

# Requests whose number carries the size are listed for their names, or where the number is wrong
# about what moves (FS_IOC_GETFLAGS says long and moves an int).
for _entry in (Ioctl(0x80045430, "TIOCGPTN", 0, 4), Ioctl(0x40045431, "TIOCSPTLCK", 4, 0),
               Ioctl(0x802C542A, "TCGETS2", 0, 44), Ioctl(0x80086601, "FS_IOC_GETFLAGS", 0, 4),
               Ioctl(0x40086602, "FS_IOC_SETFLAGS", 4, 0), Ioctl(0x40049409, "FICLONE", 0, 0),
               Ioctl(0x80081272, "BLKGETSIZE64", 0, 8), Ioctl(0x80045440, "TIOCGPTLCK", 0, 4),
               Ioctl(0x400454CA, "TUNSETIFF", 40, 40), Ioctl(0x800454D2, "TUNGETIFF", 0, 40),
               Ioctl(0x5441, "TIOCGPTPEER", 0, 0, True), Ioctl(0x80045432, "TIOCGDEV", 0, 4)):
    IOCTLS[_entry.cmd] = _entry


def ioctl(cmd: int) -> Ioctl:
    """The request of that number; an unknown one is read off the number's size and direction bits."""
    cmd &= 0xFFFFFFFF
    if cmd in IOCTLS:
        return IOCTLS[cmd]
    size, direction = cmd >> 16 & 0x3FFF, cmd >> 30
    return Ioctl(cmd, f"{cmd:#x}", size if direction & 1 else 0, size if direction & 2 else 0)
