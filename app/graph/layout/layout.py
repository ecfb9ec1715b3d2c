"""Positions of a drawn graph on two levels: groups as discs, then the members within each disc.

Pure and deterministic: all random numbers have a fixed seed.
"""

import random
import threading
from collections.abc import Sequence
from typing import NamedTuple

import igraph
import numpy as np
from numpy.typing import NDArray

from app.graph.layout.shapes import SIZE

Positions = NDArray[np.float64]
"""Shape (n, 2): x and y of each."""
Tie = tuple[int, int, float]
"""Indices of two tied things, and the weight of their tie."""

_SEED = 20_260_101
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
_GAP_FACTOR, _RING_GAP_FACTOR, _SINGLE_DISC_RADIUS = 1.12, 1.15, 0.45
# Factors by which the square may be widened for isolated groups, and their minimum distance from the rest.
_WIDTH_FACTORS, _MIN_DISTANCE_FACTOR, _MAX_GRID_STEPS = (1.0, 1.07, 1.14, 1.22), 0.86, 160
_PULL_FACTOR, _MAX_PULL_ROUNDS, _MAX_SEPARATION_ROUNDS, _SEPARATION_PAIR_BUDGET = 0.95, 60, 60, 4_000_000
_SPREAD_ROUNDS, _SPREAD_ROUNDS_OF_MANY, _MANY_POINTS = 40, 2, 200
_MIN_ROUNDS, _MAX_ROUNDS, _FORCE_PAIR_BUDGET = 40, 160, 4_000_000
# igraph has one random number generator per process.
_random_generator_lock = threading.Lock()


class Discs(NamedTuple):
    """Centres and radii of discs."""

    centres: Positions
    radii: NDArray[np.float64]


def place_discs(sizes: Sequence[float], ties: Sequence[Tie]) -> Discs:
    """Return centre and radius of a disc for each group, without overlaps, in the square.

    A disc's area is proportional to the group's size. Tied groups are placed by forces and pushed apart until
    they do not overlap; groups without a tie are placed in the corners beside them or, if these have no room,
    in rings around them, the largest inside.
    """
    group_count = len(sizes)
    radii = np.sqrt(np.maximum(np.asarray(sizes, np.float64), 1.0))
    centres = np.zeros((group_count, 2))
    if group_count == 0:
        return Discs(centres, radii)
    tied_groups = sorted(
        {
            group
            for left_group, right_group, _ in ties
            if left_group != right_group
            for group in (left_group, right_group)
        }
    )
    if tied_groups:
        index_by_group = {group: index for index, group in enumerate(tied_groups)}
        inner_ties = [
            (index_by_group[left_group], index_by_group[right_group], weight)
            for left_group, right_group, weight in ties
            if left_group != right_group
        ]
        layout_size = np.sqrt((radii[tied_groups] ** 2).sum()) * 2
        centres[tied_groups] = _pack_discs(
            _compute_force_directed_layout(len(tied_groups), inner_ties) * layout_size, radii[tied_groups]
        )
    untied_groups = sorted(
        set(range(group_count)) - set(tied_groups), key=lambda group: (-radii[group], group)
    )
    if tied_groups:
        # Groups without claims take less space, to leave room for the rest.
        radii[[group for group in untied_groups if radii[group] <= 1]] = _SINGLE_DISC_RADIUS
    layout_radius = _center_discs_and_measure_radius(centres, radii, tied_groups)
    if not any(
        tied_groups
        and _place_untied_groups_in_corners(centres, radii, untied_groups, layout_radius, width_factor)
        for width_factor in _WIDTH_FACTORS
    ):
        _place_groups_in_rings(centres, radii, untied_groups, layout_radius)
    return _scale_discs_to_layout_size(centres, radii)


def place_members(member_count: int, ties: Sequence[Tie]) -> Positions:
    """Return a position for each member within a disc of radius 1: by forces, spread to fill the disc evenly.

    Members without a tie are placed at the rim.
    """
    if member_count == 1:
        return np.zeros((1, 2))
    if not ties:
        return _place_points_on_sunflower_spiral(member_count)
    positions = _compute_force_directed_layout(member_count, ties)
    is_tied = np.zeros(member_count, bool)
    is_tied[[member for left_member, right_member, _ in ties for member in (left_member, right_member)]] = (
        True
    )
    positions -= positions[is_tied].mean(axis=0)
    angles = np.arctan2(positions[:, 1], positions[:, 0])
    distances = np.hypot(positions[:, 0], positions[:, 1])
    # Half by distance, half by rank: otherwise a few distant members would press the others into the middle.
    ranks = np.empty(member_count)
    ranks[np.lexsort((np.arange(member_count), distances, ~is_tied))] = np.arange(member_count)
    even_radii = np.sqrt((ranks + 0.5) / member_count)
    radii = np.where(
        is_tied, 0.5 * distances / max(distances[is_tied].max(), 1e-9) + 0.5 * even_radii, even_radii
    )
    untied_members = np.flatnonzero(~is_tied)
    angles[untied_members] = np.arange(len(untied_members)) * _GOLDEN_ANGLE
    return _spread_evenly(np.column_stack((np.cos(angles), np.sin(angles))) * radii[:, None])


def _spread_evenly(positions: Positions) -> Positions:
    """Move positions that are too close to each other apart, keeping all on the disc."""
    count = len(positions)
    min_distance = 0.85 * compute_member_spacing(count)
    for _ in range(_SPREAD_ROUNDS if count <= _MANY_POINTS else _SPREAD_ROUNDS_OF_MANY):
        differences = positions[:, None, :] - positions[None, :, :]
        distances = np.hypot(differences[..., 0], differences[..., 1]) + np.eye(count)
        overlaps = np.maximum(min_distance - distances, 0)
        np.fill_diagonal(overlaps, 0)
        if not overlaps.any():
            break
        positions = positions + ((overlaps / (distances + 1e-9))[..., None] * differences).sum(axis=1) * 0.4
        positions = positions / np.maximum(np.hypot(*positions.T), 1.0)[:, None]
    return positions


def compute_member_spacing(member_count: int) -> float:
    """Return the distance between neighbours if this many members fill a disc of radius 1."""
    return float(np.sqrt(np.pi / max(1, member_count)))


def _compute_force_directed_layout(count: int, ties: Sequence[Tie]) -> Positions:
    """Return positions by forces (Fruchterman and Reingold, 1991) from a circle, within about 1 of the
    middle.
    """
    graph = igraph.Graph(n=count, edges=[(left_index, right_index) for left_index, right_index, _ in ties])
    # Use the logarithm: otherwise one heavy tie would draw all others to a point.
    weights = np.log1p(np.asarray([weight for _, _, weight in ties], np.float64)) + 0.1
    with _random_generator_lock:
        igraph.set_random_number_generator(random.Random(_SEED))
        layout = graph.layout_fruchterman_reingold(
            weights=weights.tolist(),
            niter=max(_MIN_ROUNDS, min(_MAX_ROUNDS, _FORCE_PAIR_BUDGET // count**2)),
            seed=graph.layout_circle(),
            grid="auto",
        )
    positions = np.asarray(layout.coords, np.float64).reshape(-1, 2)
    positions -= positions.mean(axis=0)
    return positions / max(float(np.abs(positions).max()), 1e-9)


def _pack_discs(centres: Positions, radii: NDArray[np.float64]) -> Positions:
    """Move the centres until no discs overlap, and draw them together where there is room."""
    count = len(radii)
    min_distances = (radii[:, None] + radii[None, :]) * _GAP_FACTOR
    np.fill_diagonal(min_distances, 0)
    # Discs at the same position have no direction to separate in: give each its own.
    angles = np.arange(count) * _GOLDEN_ANGLE
    centres = centres + 1e-6 * np.column_stack((np.cos(angles), np.sin(angles)))
    # Alternately draw to the middle and push apart, so that gaps between discs close; then only push apart.
    round_share = max(
        0.25,
        min(1.0, _SEPARATION_PAIR_BUDGET / (count * count * (_MAX_PULL_ROUNDS + _MAX_SEPARATION_ROUNDS))),
    )
    pulling_rounds, settling_rounds = (
        round(_MAX_PULL_ROUNDS * round_share),
        round(_MAX_SEPARATION_ROUNDS * round_share),
    )
    push_shares = radii[None, :] / (radii[:, None] + radii[None, :])
    for step in range(pulling_rounds + settling_rounds):
        if step < pulling_rounds:
            centres = centres * _PULL_FACTOR
        differences = centres[:, None, :] - centres[None, :, :]
        distances = np.hypot(differences[..., 0], differences[..., 1]) + 1e-9
        overlaps = np.maximum(min_distances - distances, 0)
        if step >= pulling_rounds and not overlaps.any():
            break
        centres = centres + ((overlaps * push_shares / distances)[..., None] * differences).sum(axis=1) * 0.6
    # Scale up if any discs still overlap.
    differences = centres[:, None, :] - centres[None, :, :]
    distances = np.hypot(differences[..., 0], differences[..., 1]) + np.eye(count) * 1e9
    scales = (radii[:, None] + radii[None, :]) / distances
    return np.asarray(centres * min(max(1.0, float(scales.max()) * 1.02), 6.0))


def _place_groups_in_rings(
    centres: Positions, radii: NDArray[np.float64], discs: Sequence[int], start_distance: float
) -> None:
    """Place these discs in rings around the middle, starting at this distance."""
    index = 0
    distance = start_distance
    while index < len(discs):
        largest_radius = float(radii[discs[index]])
        if distance == 0:
            index, distance = index + 1, largest_radius
            continue
        ring_radius = distance + largest_radius * _RING_GAP_FACTOR
        remaining_length = 2 * np.pi * ring_radius
        ring_discs: list[int] = []
        while index < len(discs) and remaining_length > 0:
            remaining_length -= 2 * float(radii[discs[index]]) * _RING_GAP_FACTOR
            if remaining_length < 0 and ring_discs:
                break
            ring_discs.append(discs[index])
            index += 1
        total_radius = sum(float(radii[disc]) for disc in ring_discs)
        angle = 0.0
        for disc in ring_discs:
            step = np.pi * float(radii[disc]) / total_radius
            angle += step
            centres[disc] = ring_radius * np.cos(angle), ring_radius * np.sin(angle)
            angle += step
        distance = ring_radius + largest_radius * _RING_GAP_FACTOR


def _place_untied_groups_in_corners(
    centres: Positions,
    radii: NDArray[np.float64],
    untied_groups: Sequence[int],
    extent: float,
    width_factor: float,
) -> bool:
    """Place these discs beside the others, which are within `extent`; return whether all found room.

    Tied groups fill about a circle, whose square has free corners. Isolated groups are placed in the lower
    corners, groups without claims in the upper ones: neither looks like a part of the other.
    """
    half_side = extent * width_factor
    min_radius = float(radii[list(untied_groups)].min(initial=1.0))
    free_points = _list_corner_grid_points(half_side, extent, 2.01 * _RING_GAP_FACTOR * min_radius)
    if float((radii[list(untied_groups)] ** 2).sum()) > len(free_points) * min_radius**2:
        return False
    placed_discs = sorted(set(range(len(radii))) - set(untied_groups))
    clearances = np.full(len(free_points), np.inf)
    for disc in placed_discs:
        np.minimum(
            clearances,
            np.hypot(*(free_points - centres[disc]).T) - radii[disc] - min_radius,
            out=clearances,
        )
    # Keep them off the rim of the square too.
    clearances = np.minimum(clearances, half_side - np.abs(free_points).max(axis=1) + min_radius)
    # Prefer the right side, then the outermost positions.
    preferred_indices = np.lexsort((-np.abs(free_points).sum(axis=1), free_points[:, 0] < 0))
    for is_below in (True, False):
        half_indices = preferred_indices[(free_points[preferred_indices, 1] >= 0) == is_below]
        for disc in untied_groups:
            if (radii[disc] > _SINGLE_DISC_RADIUS) != is_below:
                continue
            has_room = clearances[half_indices] >= radii[disc] * _RING_GAP_FACTOR
            if not has_room.any():
                return False
            centres[disc] = free_points[half_indices[int(has_room.argmax())]]
            np.minimum(
                clearances,
                np.hypot(*(free_points - centres[disc]).T) - radii[disc] * _RING_GAP_FACTOR,
                out=clearances,
            )
    return True


def _list_corner_grid_points(half_side: float, extent: float, step: float) -> Positions:
    """Return grid positions in a square of this half side, outside of the extent."""
    axis = np.arange(half_side - step / 2, -half_side, -max(step, 2 * half_side / _MAX_GRID_STEPS))
    grid = np.column_stack([coordinates.ravel() for coordinates in np.meshgrid(axis, axis)])
    return np.asarray(grid[np.hypot(*grid.T) >= extent * _MIN_DISTANCE_FACTOR])


def _center_discs_and_measure_radius(
    centres: Positions, radii: NDArray[np.float64], discs: Sequence[int]
) -> float:
    """Move these discs so that their middle is at the origin; return the distance of the farthest rim."""
    if not discs:
        return 0.0
    disc_indices = list(discs)
    centres[disc_indices] -= (centres[disc_indices].max(axis=0) + centres[disc_indices].min(axis=0)) / 2
    return float((np.hypot(*centres[disc_indices].T) + radii[disc_indices]).max())


def _scale_discs_to_layout_size(centres: Positions, radii: NDArray[np.float64]) -> Discs:
    lower_corner, upper_corner = (
        (centres - radii[:, None]).min(axis=0),
        (centres + radii[:, None]).max(axis=0),
    )
    scale = SIZE / max(float((upper_corner - lower_corner).max()), 1e-9)
    return Discs((centres - (lower_corner + upper_corner) / 2) * scale + SIZE / 2, radii * scale)


def _place_points_on_sunflower_spiral(count: int) -> Positions:
    """Return positions arranged like the seeds of a sunflower."""
    ranks = np.arange(count)
    radii, angles = np.sqrt((ranks + 0.5) / count), ranks * _GOLDEN_ANGLE
    return np.column_stack((np.cos(angles), np.sin(angles))) * radii[:, None]
