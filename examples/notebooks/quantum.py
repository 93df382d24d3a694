# Circuits of a few qubits: states, measurements, a search; needs qiskit.
# %%
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import QFT
from qiskit.quantum_info import Operator, Statevector
# %%
bell = QuantumCircuit(2)
bell.h(0)
bell.cx(0, 1)
# %%
state = Statevector.from_instruction(bell)
# %%
rng = np.random.default_rng(6)
counts = dict(zip(*np.unique(rng.choice(4, 1000, p=state.probabilities()), return_counts=True)))
# %%
secret = "1011010"
oracle = QuantumCircuit(8)
for place, bit in enumerate(reversed(secret)):
    if bit == "1":
        oracle.cx(place, 7)
# %%
hidden = QuantumCircuit(8)
hidden.h(range(7))
hidden.x(7)
hidden.h(7)
# %%
hidden = hidden.compose(oracle)
hidden.h(range(7))
# %%
found = Statevector.from_instruction(hidden).probabilities(range(7)).argmax()
# %%
matches = format(int(found), "07b") == secret
# %%
fourier = QFT(6).decompose()
# %%
matrix = Operator(fourier).data
# %%
is_unitary = bool(np.allclose(matrix @ matrix.conj().T, np.eye(64)))
# %%
angles = [Statevector.from_instruction(QuantumCircuit(1)).data]
for angle in np.linspace(0, np.pi, 50):
    turned = QuantumCircuit(1)
    turned.ry(angle, 0)
    angles.append(Statevector.from_instruction(turned).data)
# %%
bell.z(0)
# %%
state = state.evolve(QuantumCircuit(2))
