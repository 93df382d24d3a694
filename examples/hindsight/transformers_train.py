"""A small BERT that Hugging Face's Trainer trains: the loops over epochs and steps are the library's."""

import sys

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 8


class Progress(TrainerCallback):
    def on_epoch_end(self, args, state, control, model=None, optimizer=None, **kwargs):
        norm = model.classifier.weight.detach().norm()
        print(f"epoch {state.epoch:.0f}, step {state.global_step}: norm {norm:.6f}")


torch.manual_seed(0)
tokens = torch.randint(0, 50, (256, 16))
rows = [{"input_ids": row, "labels": int(row[0] > 25)} for row in tokens]
net = BertForSequenceClassification(BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64))
arguments = TrainingArguments("out", num_train_epochs=EPOCHS, per_device_train_batch_size=16, save_strategy="no", logging_strategy="no",
                              report_to=[], disable_tqdm=True, use_cpu=True, seed=3)
trainer = Trainer(net, arguments, train_dataset=rows, callbacks=[Progress()])
trainer.train()
print(f"total {net.classifier.weight.detach().sum():.6f}")
