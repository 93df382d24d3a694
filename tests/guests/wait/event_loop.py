"""An event loop serves its own clients in a process whose threads waited for children. The log gives the order of
answers.

engine: native (threads)
shows: accept4, bind, connect, epoll_create1, epoll_ctl, epoll_wait, execve, listen, recvfrom, sendto
source: poll, select, epoll; sockets inside the experiment
"""
import asyncio
import time


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        writer.write(line.upper() + b"%d\n" % time.time_ns())
        await writer.drain()
    writer.close()


async def call(port: int, number: int) -> list[tuple[bytes, bytes]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for i in range(6):
        writer.write(b"%d of %d\n" % (i, number))
        answers.append((await reader.readline(), await reader.readline()))
        await asyncio.sleep(0.003 * (number % 3))
    writer.close()
    await writer.wait_closed()
    return answers


async def run(number: int) -> bytes:
    child = await asyncio.create_subprocess_exec("sh", "-c", f"sleep 0.0{number}; echo {number}", stdout=asyncio.subprocess.PIPE)
    return (await child.communicate())[0]


async def main() -> None:
    print(await asyncio.gather(*(run(number) for number in range(5))))
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for answers in await asyncio.gather(*(call(port, number) for number in range(10))):
        print(answers)
    server.close()


asyncio.run(main())
print("guest done")
