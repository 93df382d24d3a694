"""Threads wake an event loop, which sends their results to its own server. Their order differs in a replay, and
all are answered.

engine: native (threads)
shows: accept4, bind, connect, epoll_create1, epoll_ctl, epoll_wait, getrandom, listen, recvfrom, sendto
source: poll, select, epoll; which thread does a piece of work
"""
import asyncio
import random
import time

got = []


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        got.append(int(line))
        writer.write(b"has " + line)
        await writer.drain()
    writer.close()


def work(number: int) -> int:
    time.sleep(0.002 * random.random())
    return number


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    answers = []
    for done in asyncio.as_completed([asyncio.to_thread(work, number) for number in range(20)]):
        writer.write(b"%d\n" % await done)
        answers.append(await reader.readline())
    writer.close()
    await writer.wait_closed()
    server.close()
    print(sorted(answers), sum(got))


asyncio.run(main())
print("guest done")
