"""Groups of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_ROUNDS = 50
"""Rounds of k-means after which the groups are taken as they are: keeps the time linear."""


def means_with_origin(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the cluster of each point of the plane: 3-means, the centre of cluster 0 fixed at 0.

    The other two centres start at the points farthest along each axis (the first of equal ones). A
    point as near to two centres belongs to the first of them; a centre without points stays.
    """
    if not len(points):
        return np.zeros(0, np.intp)
    centres = np.concatenate((np.zeros((1, 2)), points[np.argmax(points, axis=0)]))
    cluster = np.full(len(points), -1)
    for _ in range(MAX_ROUNDS):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = np.argmin(distance, axis=1)
        if np.array_equal(nearest, cluster):
            break
        cluster = nearest
        for number in (1, 2):
            members = points[cluster == number]
            if len(members):
                centres[number] = members.mean(axis=0)
    return cluster
