"""A server's threads answer a client that waits for its standard input and for answers at once, as socat does.

engine: native (threads)
shows: accept4, bind, connect, execve, futex, listen, poll, recvfrom, sendto, socket
source: sockets inside the experiment
"""
import select
import socket
import socketserver
import subprocess
import sys
import threading


class Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(line.upper())


def client(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as server:
        sources, heard = [0, server], b""
        while server in sources:
            ready = select.select(sources, [], [])[0]
            if 0 in ready:
                asked = sys.stdin.buffer.raw.read(4096)
                server.sendall(asked) if asked else (sources.remove(0), server.shutdown(socket.SHUT_WR))
            if server in ready:
                answer = server.recv(4096)
                heard += answer
                if not answer:
                    sources.remove(server)
            print(len(ready), end=" ")
    print(heard)


if len(sys.argv) > 1:
    client(int(sys.argv[1]))
else:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as threaded:
        threading.Thread(target=threaded.serve_forever).start()
        for i in range(3):
            asks = subprocess.Popen(["sh", "-c", f"for k in 1 2 3 4; do echo line $k of {i}; sleep 0.00$k; done"], stdout=subprocess.PIPE)
            subprocess.run([sys.executable, __file__, str(threaded.server_address[1])], stdin=asks.stdout, check=True)
            asks.stdout.close()
            asks.wait()
        threaded.shutdown()
    print("guest done")
