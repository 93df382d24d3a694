"""Training a recurrent network on sequences: python sequences.py speech|translation [EPOCHS]

The nearest to Jasper on speech and to an attention network on translation. Speech: waves of changing pitch are to be written as letters,
with CTC loss. Translation: each sentence is to be written backwards in other words. All data are made here.
"""

import sys

import torch
from torch import nn

KIND, EPOCHS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
LETTERS, BATCH, ROWS = 12, 32, 192

torch.manual_seed(3)
torch.set_num_threads(1)


class Speech(nn.Module):
    """Convolution over time, a recurrent layer, letters."""

    def __init__(self):
        super().__init__()
        self.hears, self.thinks, self.writes = nn.Conv1d(16, 64, 5, 2, 2), nn.GRU(64, 64, batch_first=True, bidirectional=True), nn.Linear(128, LETTERS)

    def loss(self, sound, letters):
        found, _ = self.thinks(self.hears(sound).relu().transpose(1, 2))
        scores = self.writes(found).log_softmax(2).transpose(0, 1)
        lengths = torch.full((len(sound),), scores.shape[0]), torch.full((len(sound),), letters.shape[1])
        return nn.functional.ctc_loss(scores, letters, *lengths)


class Translation(nn.Module):
    """An encoder, and a decoder that looks at all of it."""

    def __init__(self):
        super().__init__()
        self.reads, self.words = nn.Embedding(LETTERS, 64), nn.Embedding(LETTERS, 64)
        self.encodes, self.decodes = nn.LSTM(64, 64, batch_first=True), nn.LSTM(64, 64, batch_first=True)
        self.looks, self.writes = nn.MultiheadAttention(64, 2, dropout=0.1, batch_first=True), nn.Linear(128, LETTERS)

    def loss(self, sentence, wanted):
        memory, state = self.encodes(self.reads(sentence))
        before = torch.cat([torch.zeros_like(wanted[:, :1]), wanted[:, :-1]], 1)
        thought, _ = self.decodes(self.words(before), state)
        seen, _ = self.looks(thought, memory, memory)
        return nn.functional.cross_entropy(self.writes(torch.cat([thought, seen], 2)).flatten(0, 1), wanted.flatten())


if KIND == "speech":
    wanted = torch.randint(1, LETTERS, (ROWS, 8))
    pitch = wanted.repeat_interleave(6, 1).float()[:, None, :] * torch.linspace(0.05, 1.5, 16)[None, :, None]
    given, net = (pitch * torch.arange(48)).sin() + 0.2 * torch.randn(ROWS, 16, 48), Speech()
else:
    given, net = torch.randint(1, LETTERS, (ROWS, 16)), Translation()
    wanted = (given.flip(1) * 5) % LETTERS
optimizer = torch.optim.Adam(net.parameters(), 2e-3)

for epoch in range(EPOCHS):
    total = 0.0
    for rows in torch.randperm(ROWS).split(BATCH):
        optimizer.zero_grad()
        loss = net.loss(given[rows], wanted[rows])
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total * BATCH / ROWS:.6f}")
