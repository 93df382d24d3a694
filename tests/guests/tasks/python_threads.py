"""Python threads with a queue, timed waits, a pool, and a timer.

run: racing
engine: native (threads)
shows: clock_gettime, clock_nanosleep, clone3, futex, ioctl
source: which thread does a piece of work
"""
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

tasks, results = queue.Queue(), queue.Queue()


def work():
    while (item := tasks.get()) is not None:
        if item % 10 == 0:
            time.sleep(0.002)
        with open("in.txt") as file:
            results.put((item, len(file.read()) * item))


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for number in range(60):
    tasks.put(number)
for _ in threads:
    tasks.put(None)
for thread in threads:
    thread.join()
print(sorted(results.get() for _ in range(60))[-3:])
try:
    tasks.get(timeout=0.02)
except queue.Empty:
    print("nothing more")
with ThreadPoolExecutor(3) as pool:
    print(list(pool.map(lambda n: n * n, range(20))))
event = threading.Event()
threading.Timer(0.01, event.set).start()
print(event.wait(10))
print("guest done")
