"""Processes share a list and a dictionary held by another process's threads. The output shows who was first.

run: racing, serialized
engine: native (threads)
shows: accept4, clone, connect, futex, mmap, read, socket, wait4, write
source: order of threads, one at a time
"""
import multiprocessing


def work(found, order, number):
    found[number] = number * number
    order.append(number)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        found, order = manager.dict(), manager.list()
        workers = [context.Process(target=work, args=(found, order, number)) for number in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        print(sorted(found.items()), list(order), flush=True)
    print("guest done")
