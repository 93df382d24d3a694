"""A process that once had threads later works with files only, and queries them.

run: racing
engine: native (threads)
shows: clone3, fcntl, fdatasync, futex, newfstatat, pread64, pwrite64
source: inodes, sizes, times and modes of files; which thread does a piece of work
"""

import os
import sqlite3
import threading

def work() -> None:
    with open("in.txt") as file:
        file.read()


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

with open("made.txt", "w") as file:
    for size in range(3):
        found = os.fstat(file.fileno())
        named = os.stat("made.txt")
        print(found.st_ino == named.st_ino, found.st_size, named.st_size, found.st_mtime_ns)
        file.write("line\n")
        file.flush()

base = sqlite3.connect("base.db")
base.execute("create table numbers (n)")
base.executemany("insert into numbers values (?)", [(n,) for n in range(500)])
base.commit()
base.close()
again = sqlite3.connect("base.db")
again.execute("insert into numbers values (500)")
again.commit()
print(again.execute("select count(*), sum(n) from numbers").fetchone())
print("guest done")
