"""A small convolutional network with dropout, shuffling, a scheduler outside of the loop, and validation."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 6

torch.manual_seed(3)
images = torch.randn(1024, 1, 16, 16)
labels = (images.mean((1, 2, 3)) > 0).long() + 2 * (images[:, 0, :8].mean((1, 2)) > 0).long()
train = DataLoader(TensorDataset(images[:896], labels[:896]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(images[896:], labels[896:]), batch_size=128)

net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(),
                    nn.Dropout(0.3), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
criterion = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    net.train()
    total = 0.0
    for batch, wanted in train:
        optimizer.zero_grad()
        loss = criterion(net(batch), wanted)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    scheduler.step()
    net.eval()
    right = 0
    with torch.no_grad():
        for batch, wanted in test:
            right += (net(batch).argmax(1) == wanted).sum().item()
    print(f"epoch {epoch}: loss {total / 896:.6f}, right {right / 128:.4f}")
