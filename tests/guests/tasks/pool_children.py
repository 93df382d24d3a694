"""Threads of a pool start children. A child's output and status belong to the job, not to the thread.

engine: native (threads)
shows: clone3, execve, futex, newfstatat, pipe2, wait4
source: which thread does a piece of work; ends and statuses of children
"""
import subprocess
from concurrent.futures import ThreadPoolExecutor


def run(number):
    done = subprocess.run(["sh", "-c", f"echo {number}; exit {number}"], capture_output=True)
    return done.stdout, done.returncode


with ThreadPoolExecutor(3) as pool:
    print(list(pool.map(run, range(6))))
print("guest done")
