"""Threads print how long their own work took. Clock reads made while they wait for the interpreter's lock are kept
apart.

run: racing
engine: native (threads)
shows: clock_gettime, clock_nanosleep, clone3, futex
source: clocks, also by the vDSO
"""
import hashlib
import threading
import time

took = {}


def work(me):
    times = []
    for i in range(8):
        start = time.perf_counter()
        time.sleep(0.001 * (i % 3))
        hashlib.sha256(b"x" * 400000).hexdigest()
        sum(range(10000))
        times.append(time.perf_counter() - start)
    took[me] = times


threads = [threading.Thread(target=work, args=(me,)) for me in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for me in sorted(took):
    print(me, " ".join(f"{t:.9f}" for t in took[me]))
print("guest done")
