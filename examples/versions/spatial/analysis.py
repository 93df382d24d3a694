# %% imports
import numpy as np
import pandas as pd
import shapely
import matplotlib.pyplot as plt
from shapely import STRtree

# %% places
places = pd.read_csv("places.csv")
points = shapely.points(places.x, places.y)
places.groupby("kind").size()

# %% districts
centres = pd.read_csv("districts.csv")
cells = shapely.voronoi_polygons(shapely.multipoints(centres[["x", "y"]].to_numpy()),
                                 extend_to=shapely.box(0, 0, 100, 100))
frame = shapely.box(0, 0, 100, 100)
districts = shapely.intersection(shapely.get_parts(cells), frame)
print(len(districts), round(float(shapely.area(districts).sum()), 3))

# %% join
tree = STRtree(districts)
point, district = tree.query(points, predicate="within")
places["district"] = pd.Series(district, index=point)
counts = places.pivot_table(index="district", columns="kind", values="x", aggfunc="count", fill_value=0)
counts.head()

# %% distances
shops = points[(places.kind == "shop").to_numpy()]
homes = points[(places.kind == "home").to_numpy()]
pairs, distance = STRtree(shops).query_nearest(homes, return_distance=True)
print("mean distance", round(float(distance.mean()), 5))

# %% rings
LEVELS = 8
rings = [shapely.union_all(shapely.buffer(shops, 0.4 * (level + 1), quad_segs=16)).area for level in range(LEVELS)]
np.round(rings, 3)

# %% catchments
RADIUS = 1.2
zones = shapely.buffer(shops, RADIUS, quad_segs=24)
covered = shapely.union_all(zones)
print("covered", round(float(covered.area), 4))

# %% coverage by district
share = shapely.area(shapely.intersection(districts, covered)) / shapely.area(districts)
pd.Series(share).describe().round(4)

# %% export
table = pd.DataFrame({"district": range(len(districts)), "share": share.round(6)})
table.to_csv("coverage.csv", index=False)
table.nlargest(3, "share")

# %% map
fig, ax = plt.subplots(figsize=(5, 5))
for polygon, value in zip(districts, share):
    ax.fill(*polygon.exterior.xy, color=plt.cm.viridis(value), lw=0.2, ec="k")
ax.set_aspect("equal")
