"""Processes share objects held by threads of another process, and name them by their addresses there.

engine: native (threads)
shows: accept4, clone, connect, futex, mmap, read, socket, wait4, write
source: sockets inside the experiment; shared memory, mapped files
"""
import multiprocessing


def work(found, order, done, lock, number):
    found[number] = number * number
    with lock:
        order.append(number)
    done.put(number)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        found, order, done, lock = manager.dict(), manager.list(), manager.Queue(), manager.Lock()
        workers = [context.Process(target=work, args=(found, order, done, lock, number)) for number in range(4)]
        for worker in workers:
            worker.start()
        print(sorted(done.get() for _ in workers))
        for worker in workers:
            worker.join()
        print(sorted(found.items()), sorted(order), flush=True)
    print("guest done")
