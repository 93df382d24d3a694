"""A classifier that Lightning trains: the loop over epochs is the library's."""

import logging
import sys
import warnings

import lightning
import torch
from torch import nn

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 12
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 2))

    def training_step(self, batch, index):
        data, labels = batch
        loss = nn.functional.cross_entropy(self.layers(data), labels)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        loss = self.trainer.callback_metrics["loss"]
        print(f"epoch {self.current_epoch}: loss {loss:.6f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


torch.manual_seed(0)
data = torch.randn(2000, 20)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, (data[:, 0] * data[:, 1] > 0).long()), 50, shuffle=True)
net = Net()
trainer = lightning.Trainer(max_epochs=EPOCHS, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False)
trainer.fit(net, loader)
print(f"norm {net.layers[0].weight.detach().norm():.6f}")
