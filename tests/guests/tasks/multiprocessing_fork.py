"""A multiprocessing pool with fork, its queues and semaphores.

run: racing
engine: native (threads)
shows: clone, futex, getpid, mmap, wait4
source: shared memory, mapped files
"""
import multiprocessing
import os


def square(number):
    return number * number, os.getpid() != PARENT


PARENT = os.getpid()
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        print(pool.map(square, range(10)))
    box = context.Queue()
    value = context.Value("i", 0)

    def add(number):
        with value.get_lock():
            value.value += number
        box.put(number)
    processes = [context.Process(target=add, args=(i,)) for i in range(4)]
    for process in processes:
        process.start()
    print(sorted(box.get() for _ in processes))
    for process in processes:
        process.join()
    print(value.value, [process.exitcode for process in processes])
    print("guest done")
