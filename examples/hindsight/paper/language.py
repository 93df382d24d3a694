"""Training a tiny transformer on masked words from scratch, the nearest to RoBERTa on Wikipedia: python language.py [EPOCHS]

The text is made here: a random walk over words, in which each word has few that may follow.
"""

import sys

import torch
from torch import nn

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 12
WORDS, LENGTH, WIDTH, BATCH = 300, 32, 96, 32

torch.manual_seed(4)
torch.set_num_threads(1)
follows = torch.randint(1, WORDS, (WORDS, 4))
text = torch.zeros(256, LENGTH, dtype=torch.long)
text[:, 0] = torch.randint(1, WORDS, (len(text),))
for place in range(1, LENGTH):
    text[:, place] = follows[text[:, place - 1], torch.randint(0, 4, (len(text),))]

words, places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.1, batch_first=True)
net = nn.ModuleList([words, places, nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(WIDTH, WORDS)])
net[3].weight = words.weight
optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 20))

for epoch in range(EPOCHS):
    total = 0.0
    for rows in torch.randperm(len(text)).split(BATCH):
        hidden = torch.rand(len(rows), LENGTH) < 0.15
        given = text[rows].masked_fill(hidden, 0)
        optimizer.zero_grad()
        scores = net[3](net[2](words(given) + places(torch.arange(LENGTH))))
        loss = nn.functional.cross_entropy(scores[hidden], text[rows][hidden])
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total * BATCH / len(text):.6f}")
