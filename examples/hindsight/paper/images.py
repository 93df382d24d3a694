"""Training a small network on pictures of ten classes: python images.py squeeze|residual|large [EPOCHS]

The nearest to Squeezenet and ResNet on Cifar: 32 x 32 pixels in three colours, made here as a noisy pattern for each class. With "large" it is
Squeezenet on 64 x 64 pixels, for ImageNet.
"""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

KIND, EPOCHS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
SIDE = 64 if KIND == "large" else 32

torch.manual_seed(2)
torch.set_num_threads(1)


class Fire(nn.Module):
    """Squeeze to few channels, expand by two kernels."""

    def __init__(self, inside, squeezed, outside):
        super().__init__()
        self.squeeze = nn.Conv2d(inside, squeezed, 1)
        self.small, self.large = nn.Conv2d(squeezed, outside // 2, 1), nn.Conv2d(squeezed, outside // 2, 3, padding=1)

    def forward(self, x):
        x = self.squeeze(x).relu()
        return torch.cat([self.small(x), self.large(x)], 1).relu()


class Residual(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.one, self.two = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        return (x + self.two(self.second(self.one(self.first(x)).relu()))).relu()


BODIES = {"squeeze": lambda: [Fire(16, 8, 32), nn.MaxPool2d(2), Fire(32, 8, 64), nn.Dropout(0.3)],
          "residual": lambda: [Residual(16), nn.Conv2d(16, 32, 3, 2, 1), Residual(32), Residual(32)]}
patterns = torch.randn(10, 3, SIDE, SIDE)
labels = torch.randint(0, 10, (384,))
images = patterns[labels] * 0.3 + torch.randn(384, 3, SIDE, SIDE)
train = DataLoader(TensorDataset(images[:256], labels[:256]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(images[256:], labels[256:]), batch_size=128)
net = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), *BODIES.get(KIND, BODIES["squeeze"])(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LazyLinear(10))
net(images[:2])
optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, weight_decay=5e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)

for epoch in range(EPOCHS):
    net.train()
    for batch, wanted in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(batch), wanted)
        loss.backward()
        optimizer.step()
    schedule.step()
    net.eval()
    with torch.no_grad():
        right = sum((net(batch).argmax(1) == wanted).sum().item() for batch, wanted in test)
    print(f"epoch {epoch}: loss {loss.item():.6f}, right {right / 128:.4f}")
