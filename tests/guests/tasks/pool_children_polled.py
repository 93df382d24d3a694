"""Threads of a pool start processes in several ways, poll for their ends, and read output that is random.

live: differs=f0 f12 f15 f18 f21 f3 f6 f9
engine: native (threads)
shows: clock_nanosleep, clone, clone3, execve, futex, getrandom, pipe2, wait4
source: which thread does a piece of work; ends and statuses of children
"""
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor


def polled(number):
    job = subprocess.Popen(["sh", "-c", f"sleep 0.0{number % 7}; date +%N > f{number}; cat f{number}; exit {number % 5}"],
                           stdout=subprocess.PIPE)
    while job.poll() is None:
        time.sleep(0.003)
    return job.stdout.read(), job.returncode


def run(number):
    if number % 3 == 0:
        return polled(number)
    if number % 3 == 1:
        return os.system(f"exit {number % 7}")
    return subprocess.run(f"head -c {number} /dev/urandom | od -An -tx1; echo error >&2", shell=True, capture_output=True)


with ThreadPoolExecutor(4) as pool:
    for result in pool.map(run, range(24)):
        print(result)
print("guest done")
