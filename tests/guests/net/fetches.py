"""Threads fetch pages from an external server: by urllib, over kept connections, with a timeout, and by asyncio.

run: racing, outside=servers
engine: native (threads)
shows: clone3, connect, epoll_create1, epoll_ctl, epoll_wait, futex, poll, recvfrom, sendto, socket
source: servers and clients outside the experiment
"""
import asyncio
import http.client
import os
import urllib.request
from concurrent.futures import ThreadPoolExecutor

PORT = int(os.environ["GUEST_PORT"]) + 1
THREADS = 5


def by_urllib(item: int) -> bytes:
    return urllib.request.urlopen(f"http://127.0.0.1:{PORT}/urllib/{item}", timeout=10).read()


def by_kept(items: "iter[int]") -> dict[int, bytes]:
    """Items are taken by whichever thread is first."""
    line, got = http.client.HTTPConnection("127.0.0.1", PORT), {}
    for item in items:
        line.request("POST" if item % 2 else "GET", f"/kept/{item}", body=b"body %d" % item if item % 2 else None)
        got[item] = line.getresponse().read()
    return got


async def by_streams(item: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write(b"GET /streams/%d HTTP/1.1\r\nConnection: close\r\n\r\n" % item)
    answer = await reader.read()
    writer.close()
    return answer


async def all_streams(first: int) -> list[bytes]:
    return await asyncio.gather(*map(by_streams, range(first, first + 5)))


with ThreadPoolExecutor(THREADS) as pool:
    for answer in pool.map(by_urllib, range(15)):
        print(answer)
    shared = iter(range(25))
    kept = {}
    for some in pool.map(by_kept, [shared] * THREADS):
        kept.update(some)
    print(sorted(kept.items()))
    for answers in pool.map(lambda first: asyncio.run(all_streams(first)), (0, 5, 10)):
        print(answers)
print("guest done")
