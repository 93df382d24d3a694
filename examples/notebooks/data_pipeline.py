# A data set in blocks, mapped, grouped and written; needs ray.
# %%
import numpy as np
import pandas as pd
import ray
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
ray.data.DataContext.get_current().enable_progress_bars = False
# %%
rng = np.random.default_rng(7)
df = pd.DataFrame({"trip": np.arange(4000), "miles": rng.gamma(2, 2, 4000), "fare": rng.gamma(3, 5, 4000), "zone": rng.integers(0, 20, 4000)})
# %%
trips = ray.data.from_pandas(df)
# %%
schema = trips.schema().names
# %%
def per_mile(batch):
    batch["per_mile"] = batch["fare"] / (batch["miles"] + 0.1)
    return batch
# %%
priced = trips.map_batches(per_mile).materialize()
# %%
means = priced.groupby("zone").mean("fare").to_pandas()
# %%
few = priced.filter(lambda row: row["miles"] > 5).to_pandas()
# %%
few["long"] = few.miles > 10
# %%
sample = priced.take(50)
# %%
means = means.sort_values("zone").reset_index(drop=True)
# %%
total = float(few.fare.sum())
