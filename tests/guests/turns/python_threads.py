"""Python threads print times and random numbers in racing order, and lose updates.

run: racing, serialized
engine: native (threads)
shows: clock_gettime, clock_nanosleep, clone3, futex, getrandom
source: order of threads, one at a time
"""
import random
import threading
import time

count = 0


def work(name):
    global count
    for i in range(40):
        seen = count
        now = time.time_ns()
        if i % 9 == 0:
            time.sleep(0.0001)
        count = seen + 1
        if i % 8 == 0:
            print(name, i, now, random.random(), count)


threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(count)
print("guest done")
