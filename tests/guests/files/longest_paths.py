"""Files whose paths are nearly as long as the kernel takes: made, renamed, linked, listed, removed, and named from a directory there.

live: no (its paths below OUTDIR are longer than the kernel takes)
engine: native (long names)
shows: openat, rename, link, unlink
source: names, renames, files without a name
"""

import os

LONGEST = 4085

where = os.getcwd()
while len(where) < LONGEST - 225:
    where += "/" + "d" * 199
    os.mkdir(where)
room = min(250, LONGEST - len(where) - 1)
one, other = f"{where}/{'f' * room}", f"{where}/{'g' * room}"
with open(one, "w") as file:
    file.write("written\n")
os.rename(one, other)
os.symlink("g" * room, one)
os.link(other, f"{where}/h")
os.chmod(other, 0o600)
with open(one) as file:
    print(file.read(), end="")
print(os.stat(other).st_size, len(os.listdir(where)))
os.unlink(one)
os.mkdir(one)
os.rmdir(one)
with open(other, "a") as file:
    file.write("appended\n")
os.chdir(where)
with open("near", "w") as file:
    file.write("by a short name\n")
os.system("cat h near; cp near copy; ls | wc -l")
print("guest done")
