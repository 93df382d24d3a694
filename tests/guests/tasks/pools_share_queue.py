"""Pools of processes take tasks from one queue, under a lock in shared memory.

run: racing
engine: native (threads)
shows: clone, futex, mmap, wait4
source: shared memory, mapped files
"""
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor


def work(number):
    total = sum(i * i % 7 for i in range(2000 * (number % 7)))
    with open("in.txt") as file:
        return number, total, file.read(), time.time() > 0


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(3, mp_context=context) as pool:
        print(list(pool.map(work, range(12))))
    with context.Pool(3) as pool:
        print(pool.map(work, range(12), chunksize=1))
        print(sorted(pool.imap_unordered(work, range(12))))
    print("guest done")
