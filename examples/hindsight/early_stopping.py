"""Training in a class in another file, until it no longer gets better."""

from package.trainer import Trainer


def main() -> None:
    trainer = Trainer(seed=4)
    patience = 3
    while patience > 0:
        is_better = trainer.train_epoch()
        print(f"epoch {trainer.epoch}: loss {trainer.loss:.6f}")
        patience = 3 if is_better else patience - 1
    print(f"best {trainer.best:.6f}")


if __name__ == "__main__":
    main()
