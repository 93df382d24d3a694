"""An asyncio server and its clients in one process, with timers and a subprocess.

run: racing
engine: native (threads)
shows: accept4, bind, epoll_create1, epoll_ctl, epoll_wait, execve, listen, mremap, recvfrom, sendto
source: poll, select, epoll; sockets inside the experiment
"""
import asyncio


async def serve(reader, writer):
    line = await reader.readline()
    writer.write(line.upper())
    await writer.drain()
    writer.close()


async def ask(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.sleep(0.001 * (7 * number % 5))
    writer.write(f"question {number}\n".encode())
    answer = await reader.readline()
    writer.close()
    return answer


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print("port", port)
    print(await asyncio.gather(*(ask(port, i) for i in range(8))))
    process = await asyncio.create_subprocess_exec("sort", "-r", "in.txt", stdout=asyncio.subprocess.PIPE)
    print(await process.communicate(), process.returncode)
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.02)
    except asyncio.TimeoutError:
        print("timed out")
    server.close()
    await server.wait_closed()

asyncio.run(main())
print("guest done")
