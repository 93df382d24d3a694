"""How long a process that is woken waits for a processor: the unit of a replay's delays (rex/native/replay/progress/delays.h).

    python bench/wakeups.py [PROCESSES]     beside so many that compute, 0 unless given
"""
import os
import struct
import sys
import time

WAKES = 2000


def woken(reader: int) -> list[int]:
    """By wake-up, how late it was, ns."""
    late = []
    while data := os.read(reader, 8):
        late.append(time.monotonic_ns() - struct.unpack("<q", data)[0])
    return sorted(late)


def hog() -> int:
    pid = os.fork()
    while not pid:
        pass
    return pid


def main() -> None:
    hogs = [hog() for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 0)]
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        for _ in range(WAKES):
            time.sleep(0.001)
            os.write(writer, struct.pack("<q", time.monotonic_ns()))
        os._exit(0)
    os.close(writer)
    late = woken(reader)
    for h in hogs:
        os.kill(h, 9)
    print(*(f"{p:g}%: {late[min(int(len(late) * p / 100), len(late) - 1)] / 1e6:.3f} ms" for p in (50, 90, 99, 99.9, 100)), sep="   ")


main()
