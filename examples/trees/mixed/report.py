import sys

lines = open(sys.argv[1]).read().split()
print(sys.argv[2], len(lines), max(lines, key=float), min(lines, key=float))
