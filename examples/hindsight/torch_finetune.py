"""Fine-tuning a head on a frozen body: two optimizers, gradient accumulation, an average of the weights."""

import copy
import sys

import torch
from torch import nn

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 6

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 256))
for parameter in body.parameters():
    parameter.requires_grad = False
head = nn.Linear(256, 5)
scale = nn.Parameter(torch.ones(()))
average = copy.deepcopy(head)
first = torch.optim.SGD(head.parameters(), lr=0.05, momentum=0.9)
second = torch.optim.Adam([scale], lr=0.01)
data = torch.randn(512, 64)
labels = torch.randint(0, 5, (512,))

for epoch in range(EPOCHS):
    order = torch.randperm(512)
    for number, begin in enumerate(range(0, 512, 32)):
        rows = order[begin:begin + 32]
        loss = nn.functional.cross_entropy(head(body(data[rows])) * scale, labels[rows]) / 4
        loss.backward()
        if number % 4 == 3:
            first.step()
            second.step()
            first.zero_grad()
            second.zero_grad()
            with torch.no_grad():
                for kept, now in zip(average.parameters(), head.parameters()):
                    kept.mul_(0.9).add_(now, alpha=0.1)
    print(f"epoch {epoch}: loss {loss.item() * 4:.6f}, scale {scale.item():.6f}")
