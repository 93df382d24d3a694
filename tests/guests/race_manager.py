"""Processes share a list and a dictionary that threads of another process hold: who is first shows."""
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
