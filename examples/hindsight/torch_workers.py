"""A data loader with workers of its own, and augmentation that draws in them."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 4


class Noisy(Dataset):
    """Points with noise that is drawn anew each time."""

    def __len__(self) -> int:
        return 128

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        point = torch.tensor([index / 128])
        return point + 0.01 * torch.randn(1), (6 * point).sin()


def main() -> None:
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    loader = DataLoader(Noisy(), batch_size=16, shuffle=True, num_workers=2)
    for epoch in range(EPOCHS):
        for points, wanted in loader:
            optimizer.zero_grad()
            loss = ((net(points) - wanted) ** 2).mean()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
