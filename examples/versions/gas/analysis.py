"""A gas market: suppliers, a pipe network, demand by region, prices by scenario."""
import sys

import numpy as np
import pandas as pd
from scipy.optimize import linprog, minimize
from scipy.sparse import coo_matrix

SCENARIOS = 30
HORIZON = 12
network = pd.read_csv("network.csv")
suppliers = pd.read_csv("suppliers.csv")
regions = pd.read_csv("regions.csv")
nodes = sorted(set(network.a) | set(network.b))
place = {name: i for i, name in enumerate(nodes)}
print(len(nodes), "nodes", len(network), "pipes", len(suppliers), "suppliers")


def clear_market(demand, cost_factor):
    """Cheapest flows that meet demand; total cost and prices (duals) by node."""
    pipes, fields = len(network), len(suppliers)
    rows, cols, values = [], [], []
    for p, (a, b) in enumerate(zip(network.a, network.b)):
        rows += [place[a], place[b], place[a], place[b]]
        cols += [p, p, pipes + p, pipes + p]
        values += [-1, 1, 1, -1]
    for s, node in enumerate(suppliers.node):
        rows.append(place[node])
        cols.append(2 * pipes + s)
        values.append(1)
    balance = coo_matrix((values, (rows, cols)), shape=(len(nodes), 2 * pipes + fields))
    costs = np.concatenate([network.cost, network.cost, suppliers.cost * cost_factor])
    limits = [(0, c) for c in network.capacity] * 2 + [(0, c) for c in suppliers.capacity]
    found = linprog(costs, A_eq=balance.tocsr(), b_eq=demand, bounds=limits, method="highs-ds")
    return found.fun, found.eqlin.marginals


base_demand = np.zeros(len(nodes))
for node, amount in zip(regions.node, regions.demand):
    base_demand[place[node]] += amount

rng = np.random.default_rng(5)
seasons = 1 + 0.25 * np.cos(2 * np.pi * np.arange(HORIZON) / 12)
calm = np.array([clear_market(base_demand * s, 1.0)[1] for s in seasons])
print("calm prices", calm.mean().round(4))

shocks = rng.lognormal(0, 0.2, (SCENARIOS, HORIZON))
prices = np.array([[clear_market(base_demand * s, shock)[1].mean() for s, shock in zip(seasons, row)]
                   for row in shocks])
print("shocked prices", prices.mean(0).round(3))


def loss(contract, level):
    """What a buyer with long-term contracts pays on average, and a penalty for the worst tenth."""
    spot = prices * (1 - contract.sum()) + contract[0] * level + contract[1] * prices.mean(0)
    worst = np.sort(spot.mean(1))[-max(1, SCENARIOS // 10):]
    return spot.mean() + 0.5 * worst.mean() + 4 * (contract ** 2).sum()


levels = np.linspace(prices.min(), prices.max(), 40)
fits = [minimize(loss, [0.2, 0.2], args=(level,), bounds=[(0, 1), (0, 1)]) for level in levels]
contracts = np.array([fit.x for fit in fits])
print("contracts", contracts.mean(0).round(4))

RISK = 0.1
var = np.quantile(prices.mean(1), 1 - RISK)
print("value at risk", round(float(var), 4))
table = pd.DataFrame(np.column_stack([levels, contracts]), columns=["level", "fixed", "indexed"])
table.to_csv("contracts.csv", index=False, float_format="%.6f")
print("report for", sys.argv[1] if len(sys.argv) > 1 else "everyone", table.shape)
