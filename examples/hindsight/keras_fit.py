"""A classifier that Keras trains: the loop over epochs is the library's."""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import numpy as np

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 12
keras.utils.set_random_seed(0)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(64, activation="relu")
        self.drop = keras.layers.Dropout(0.1)
        self.out = keras.layers.Dense(1, activation="sigmoid")

    def call(self, data, training=False):
        return self.out(self.drop(self.hidden(data), training=training))


class Report(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        loss = logs["loss"]
        print(f"epoch {epoch}: loss {loss:.6f}, validation {logs['val_loss']:.6f}")


random = np.random.default_rng(0)
data = random.normal(size=(2000, 20)).astype("float32")
labels = (data[:, 0] * data[:, 1] > 0).astype("float32")[:, None]
net = Net()
net.compile(optimizer=keras.optimizers.Adam(1e-3), loss="binary_crossentropy", metrics=["accuracy"])
net.fit(data, labels, batch_size=50, epochs=EPOCHS, validation_split=0.2, verbose=0, callbacks=[Report()])
print(f"norm {np.linalg.norm(net.hidden.get_weights()[0]):.6f}")
