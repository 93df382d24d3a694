"""Hand-written digits: a small convolutional network on the CPU."""
import time

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

# %% data
torch.manual_seed(7)
digits = load_digits()
images = digits.images.astype("float32") / 16
train_x, test_x, train_y, test_y = train_test_split(images, digits.target, test_size=0.3, random_state=1)
print(train_x.shape, test_x.shape)

# %% augmentation: shifts and noise
SHIFTS = (0, 1)
NOISE = 0.05
rng = np.random.default_rng(3)
parts = [np.roll(train_x, (dy, dx), (1, 2)) for dy in SHIFTS for dx in SHIFTS]
big_x = np.concatenate(parts)
big_x = big_x + NOISE * rng.standard_normal(big_x.shape).astype("float32")
big_y = np.concatenate([train_y] * len(parts))
x, y = torch.tensor(big_x)[:, None], torch.tensor(big_y)
print(x.shape, float(x.mean()))


# %% model
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.Flatten(),
            nn.Linear(2 * width * 16, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, batch):
        return self.layers(batch)


net = Net(8)


def train(rate, epochs):
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    loss_of = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        total = 0.0
        for batch in order.split(256):
            optimizer.zero_grad()
            loss = loss_of(net(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch}: loss {total / len(x):.4f}")


# %% pre-training
train(rate=2e-3, epochs=4)

# %% fine-tuning
RATE = 5e-4
train(rate=RATE, epochs=2)

# %% evaluation
with torch.no_grad():
    guess = net(torch.tensor(test_x)[:, None]).argmax(1).numpy()
print(f"accuracy {np.mean(guess == test_y):.4f}")

# %% confusion
confusion = np.zeros((10, 10), int)
np.add.at(confusion, (test_y, guess), 1)
np.savetxt("confusion.csv", confusion, fmt="%d", delimiter=",")
print(confusion.diagonal())
