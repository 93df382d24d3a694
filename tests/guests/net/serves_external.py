"""A server with one thread for each external client. Clients send at the same time, and the last one ends the
server.

run: racing, outside=callers
engine: native (threads)
shows: accept4, bind, clone3, futex, listen, recvfrom, sendto, socket
source: servers and clients outside the experiment
"""
import os
import socketserver
import threading

lock, counts = threading.Lock(), {}


class Caller(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            with lock:
                counts[line] = counts.get(line, 0) + 1
            self.wfile.write(b"an answer to " + line)
            if line == b"stop\n":
                threading.Thread(target=server.shutdown).start()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


server = Server(("127.0.0.1", int(os.environ["GUEST_PORT"])), Caller)
server.serve_forever(0.05)
server.server_close()
print(sorted(counts.items()))
print("guest done")
