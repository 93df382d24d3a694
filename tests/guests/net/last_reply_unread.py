"""A server writes a last reply that its client never reads. Recorded, the write comes before the close; in a replay it may come after.

engine: native (threads)
shows: accept4, bind, connect, listen, read, sendmsg, socket, write, writev
source: sockets inside the experiment
"""
import os
import socket
import threading
import time

WRITES = {
    "write": lambda fd: os.write(fd, b"second\n"),
    "writev": lambda fd: os.writev(fd, [b"sec", b"ond\n"]),
    "sendmsg": lambda fd: socket.socket(fileno=os.dup(fd)).sendmsg([b"sec", b"ond\n"]),
}


def serve(listener: socket.socket, told: list[str]) -> None:
    """Reply twice, the second time after a while that a replay does not shorten; Python's managers do so at their end."""
    for name, write in WRITES.items():
        connection, _ = listener.accept()
        os.write(connection.fileno(), b"first\n")
        sum(range(1_000_000))
        try:
            told.append(f"{name}: {write(connection.fileno())}")
        except OSError as error:
            told.append(f"{name}: {error.strerror}")
        connection.close()


name, told = "replies.sock", list[str]()
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(name)
listener.listen()
client = os.fork()
if client == 0:
    thread = threading.Thread(target=time.sleep, args=(0,))
    thread.start()
    for _ in WRITES:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
            caller.connect(name)
            reply = os.read(caller.fileno(), 6)
            time.sleep(0.3)
    os._exit(0)
server = threading.Thread(target=serve, args=(listener, told))
server.start()
server.join()
os.waitpid(client, 0)
os.unlink(name)
print("\n".join(told))
print("guest done")
