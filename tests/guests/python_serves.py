"""A thread for each caller from outside: callers ask at the same time, and one ends it all when all have been answered."""
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
