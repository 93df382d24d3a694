import sys

values = [float(line) for line in open(sys.argv[1])]
width = int(sys.argv[2])
for _ in range(1200):
    values = [sum(values[max(0, i - width):i + width + 1]) / len(values[max(0, i - width):i + width + 1]) for i in range(len(values))]
print("\n".join(f"{value:.6f}" for value in values))
