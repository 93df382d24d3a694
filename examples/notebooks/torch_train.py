# Training a network on pictures, with checkpoints of its weights; on a GPU in the paper, on the processor here.
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(5)
torch.set_num_threads(1)
# %%
images = torch.randn(1200, 1, 20, 20)
labels = (images[:, 0, :10].mean((1, 2)) > 0).long()
# %%
loader = DataLoader(TensorDataset(images[:1000], labels[:1000]), batch_size=50, shuffle=True)
# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.head = nn.Linear(648, 2)

    def forward(self, x):
        return self.head(self.body(x))
# %%
net = Net()
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
# %%
losses = []
def train(epochs):
    for _ in range(epochs):
        for batch, wanted in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(batch), wanted)
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
# %%
train(2)
# %%
best = {name: value.clone() for name, value in net.state_dict().items()}
# %%
def right():
    with torch.no_grad():
        return (net(images[1000:]).argmax(1) == labels[1000:]).float().mean().item()
# %%
scores = [right()]
# %%
train(2)
# %%
scores.append(right())
# %%
for group in optimizer.param_groups:
    group["lr"] = 1e-4
# %%
train(1)
# %%
net.load_state_dict(best)
# %%
norms = {name: float(value.norm()) for name, value in net.named_parameters()}
