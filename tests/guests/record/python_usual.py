"""What most Python scripts do: random numbers, times, ids, files, processes.

live: yes
shows: clock_gettime, clock_nanosleep, execve, getdents64, getpid, getrandom, newfstatat, pipe2, wait4
source: random bytes: getrandom, /dev/urandom, rdrand; clocks, also by the vDSO; process, thread, group and session ids
"""
import glob
import os
import platform
import random
import subprocess
import tempfile
import time
import uuid

print(time.time(), time.perf_counter(), time.process_time(), time.strftime("%c"))
print(random.random(), uuid.uuid4(), os.urandom(4).hex(), hash("text"), id(random) % 4096)
print(os.getpid(), os.getppid(), os.cpu_count(), os.getloadavg(), platform.node(), platform.platform())
print(sorted(glob.glob("data/**", recursive=True)), os.listdir("."), {"set", "of", "words"})
for entry in os.scandir("data"):
    print(entry.name, entry.inode(), entry.is_dir(), entry.stat().st_mtime_ns)
with tempfile.NamedTemporaryFile(dir=".", delete=False) as file:
    file.write(b"kept")
os.replace(file.name, "kept")
with tempfile.TemporaryDirectory(dir=".") as name:
    open(os.path.join(name, "x"), "w").close()
    print(name)
done = subprocess.run(["sh", "-c", "cat; echo err >&2; exit 4"], input=b"given", capture_output=True)
print(done)
with subprocess.Popen(["sort", "in.txt"], stdout=subprocess.PIPE) as process:
    print(process.stdout.read(), process.pid)
try:
    subprocess.run(["sleep", "10"], timeout=0.05)
except subprocess.TimeoutExpired as error:
    print(error)
print("guest done")
