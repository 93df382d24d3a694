"""A server's thread sends once more after its client has closed. Over TCP the first such send reports no error.

engine: native (threads)
shows: accept4, bind, clone3, connect, futex, listen, recvfrom, sendto, socket
source: sockets inside the experiment
"""
import socket
import threading

gone, told = threading.Event(), []
listener = socket.create_server(("127.0.0.1", 0))


def serve() -> None:
    for _ in range(3):
        connection, _ = listener.accept()
        connection.sendall(b"head\n")
        gone.wait()
        gone.clear()
        try:
            connection.sendall(b"body\n")
            told.append("lost")
        except OSError as e:
            told.append(type(e).__name__)
        connection.close()


server = threading.Thread(target=serve)
server.start()
for _ in range(3):
    with socket.create_connection(listener.getsockname()) as caller:
        head = b""
        while len(head) < 5:
            head += caller.recv(5 - len(head))
    gone.set()
    while gone.is_set():
        pass
server.join()
print(told)
print("guest done")
