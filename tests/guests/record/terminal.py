"""A child on a pseudo-terminal: window size, echo, and Ctrl-C.

shows: clone, ioctl, newfstatat, setsid, wait4
source: terminals
"""
import fcntl
import os
import pty
import signal
import struct
import sys
import termios

for fd in range(3):
    print(fd, os.isatty(fd))
try:
    print(os.get_terminal_size())
except OSError as error:
    print(error)
child, terminal = pty.fork()
if child == 0:
    print("child", os.isatty(0), os.ttyname(0).startswith("/dev/pts/"), flush=True)
    line = sys.stdin.readline()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    print("got", line.strip(), os.get_terminal_size().columns, flush=True)
    print("interrupted by", signal.sigwait([signal.SIGINT]), flush=True)
    os._exit(5)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 33, 77, 0, 0))


def read_until(end):
    text = b""
    while end not in text:
        text += os.read(terminal, 1000)
    return text


print(read_until(b"True True\r\n"))
os.write(terminal, b"hello\n")
print(read_until(b"77\r\n"))
os.write(terminal, b"\x03")
print(read_until(b"2\r\n"))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print("guest done")
