"""Fine-tuning a tiny transformer on pairs of sentences (like RTE) or single ones (like CoLA): python finetune.py pairs|single [EPOCHS]

The data are made here: a pair is labelled by whether the second sentence holds only words of the first; a single sentence by whether
its words are in order. The body comes from a short pre-training on masked words and is frozen, so little of the state changes.
"""

import sys

import torch
from torch import nn

TASK, EPOCHS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
WORDS, LENGTH, WIDTH, BATCH = 200, 20, 96, 32

torch.manual_seed(1)
torch.set_num_threads(1)


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.1, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.guess, self.head = nn.Linear(WIDTH, WORDS), nn.Linear(WIDTH, 2)

    def forward(self, tokens):
        return self.body(self.words(tokens) + self.places(torch.arange(LENGTH)))


def make_data(count):
    half = LENGTH // 2
    labels = torch.randint(0, 2, (count,))
    if TASK == "pairs":
        first = torch.randint(1, WORDS, (count, half))
        copied = first.gather(1, torch.randint(0, half, (count, half)))
        return torch.cat([first, torch.where(labels[:, None] == 1, copied, torch.randint(1, WORDS, (count, half)))], 1), labels
    tokens = torch.randint(1, WORDS, (count, LENGTH))
    return torch.where(labels[:, None] == 1, tokens.sort(1).values, tokens), labels


tokens, labels = make_data(320)
test_tokens, test_labels = make_data(64)
net = Classifier()
warm = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(8):
    rows = torch.randint(0, len(tokens), (BATCH,))
    hidden = torch.where(torch.rand(BATCH, LENGTH) < 0.15, 0, tokens[rows])
    warm.zero_grad()
    nn.functional.cross_entropy(net.guess(net(hidden)).flatten(0, 1), tokens[rows].flatten()).backward()
    warm.step()
for parameter in [*net.words.parameters(), *net.places.parameters(), *net.body.layers[0].parameters()]:
    parameter.requires_grad = False
optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], 2e-4)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, EPOCHS)

for epoch in range(EPOCHS):
    net.train()
    order = torch.randperm(len(tokens))
    for step in range(0, len(tokens), BATCH):
        rows = order[step:step + BATCH]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net.head(net(tokens[rows]).mean(1)), labels[rows])
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    schedule.step()
    net.eval()
    with torch.no_grad():
        right = (net.head(net(test_tokens).mean(1)).argmax(1) == test_labels).float().mean().item()
    print(f"epoch {epoch}: loss {loss.item():.6f}, right {right:.4f}")
