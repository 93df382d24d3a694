"""Threads make files and directories with random names, and rename them.

engine: native (threads)
shows: clock_nanosleep, clone3, futex, getdents64, getrandom, mkdir, newfstatat, rename
source: names, renames, files without a name; which thread does a piece of work
"""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

os.mkdir("made")


def make(part: int) -> str:
    time.sleep(random.random() * 0.004)
    name = f"made/{part}.{os.urandom(4).hex()}.partial"
    with open(name, "xb") as file:
        file.write(b"%d" % part * 100)
    os.replace(name, f"made/{part}")
    os.mkdir(f"made/{name[5:]}.d")
    os.rename(f"made/{name[5:]}.d", f"made/{part}.d")
    size = os.stat(f"made/{part}").st_size
    return f"{part}: {size} bytes"


with ThreadPoolExecutor(4) as pool:
    print(*pool.map(make, range(16)), sep="\n")
for number in range(16):
    with open(f"made/{number}") as made:
        assert made.read() == str(number) * 100
print(sorted(os.listdir("made")))
print("guest done")
