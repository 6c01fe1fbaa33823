# SPDX-License-Identifier: BSD-3-Clause
"""Writes faults as blocks of YAML that requests take: `fault`, `events` and `sources`."""
from __future__ import annotations

import pathlib
from typing import Any, Iterable, Sequence

import numpy as np

from .catalogue import Mechanism
from .shapes import DepthGrid, Rectangle, refuse
from .slab import Patches

MOST_FAULTS = 32
_MOST_PATCHES = 100


def number(value: float, digits: int = 9) -> str:
    """Returns a number without a needless tail."""
    return f"{round(float(value), 6) + 0.0:.{digits}g}"


def flow(values: dict[str, Any]) -> str:
    """Returns a YAML mapping on a line; values are numbers, words and lists of them."""
    def one(value: Any) -> str:
        if isinstance(value, dict):
            return flow(value)
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(one(v) for v in value) + "]"
        return str(value) if isinstance(value, (str, int)) else number(value)

    return "{" + ", ".join(f"{key}: {one(value)}" for key, value in values.items()) + "}"


def plane_keys(plane: Rectangle, patch_m: float | None, with_patches: bool = True) -> dict[str, Any]:
    """Returns the keys of `fault.plane`. Patches are about ``patch_m`` wide; None: a quarter of the width."""
    keys: dict[str, Any] = {
        "centre_lon_deg": plane.lon, "centre_lat_deg": plane.lat, "top_depth_km": 1e-3 * plane.top_depth_m,
        "strike_deg": plane.strike_deg, "dip_deg": plane.dip_deg, "length_km": 1e-3 * plane.length_m,
        "width_km": 1e-3 * plane.width_m}
    if with_patches:
        side = patch_m or 0.25 * plane.width_m
        n_strike, n_dip = (max(1, int(round(size / side))) for size in (plane.length_m, plane.width_m))
        if max(n_strike, n_dip) > 10 * _MOST_PATCHES or n_strike * n_dip > 50_000:
            refuse(f"{plane.name}: patch_km", "must give at most 50000 patches", f"{n_strike} x {n_dip}")
        keys.update(n_strike=n_strike, n_dip=n_dip)
        if plane.rake_deg is not None:
            keys["rake_deg"] = [plane.rake_deg]
    return keys


def fault_of_planes(planes: Sequence[Rectangle], patch_m: float | None) -> str:
    """Returns `fault` of one plane or of several. Raises InvalidArgument of more than a request takes."""
    if len(planes) > MOST_FAULTS:
        refuse("planes", f"must be at most {MOST_FAULTS} in a request; --only, --bounds and a larger --tolerance-km leave "
                         "fewer", len(planes))
    if len(planes) == 1:
        return f"fault:\n  plane: {flow(plane_keys(planes[0], patch_m))}\n"
    rows = "".join(f"    - {flow({'name': plane.name, 'plane': plane_keys(plane, patch_m)})}\n" for plane in planes)
    return f"fault:\n  several:\n{rows}"


def fault_of_surface(file: str, grid: DepthGrid, patches: Patches, depths_m: tuple[float, float], rake: bool) -> str:
    """Returns `fault.interface` of a table of depths, or of a grid that requests read themselves."""
    keys = {"origin_lon_deg": patches.lon, "origin_lat_deg": patches.lat, "strike_deg": patches.strike_deg,
            "n_strike": patches.n_strike, "n_dip": patches.n_dip, "spacing_strike_km": 1e-3 * patches.spacing_m,
            "spacing_dip_km": 1e-3 * patches.spacing_m, "components": ["dip_slip"] if rake else ["strike_slip", "dip_slip"]}
    return (f"fault:\n  interface:\n    surface: {file}\n    min_depth_km: {number(1e-3 * depths_m[0])}\n"
            f"    max_depth_km: {number(1e-3 * depths_m[1])}\n    patches: {flow(keys)}\n")


def event_of(mechanism: Mechanism, plane: Rectangle, slip_m: float) -> str:
    """Returns `events` of a scenario: one rectangle whose moment is the tensor's for the rigidity that slip was made of."""
    lon, lat, depth = (float(v) for v in plane.at(0.0, 0.5 * plane.width_m))
    keys = {"lon_deg": lon, "lat_deg": lat, "depth_km": 1e-3 * depth, "length_km": 1e-3 * plane.length_m,
            "width_km": 1e-3 * plane.width_m, "strike_deg": plane.strike_deg, "dip_deg": plane.dip_deg,
            "rake_deg": plane.rake_deg, "slip_m": slip_m}
    return f"events:\n  - name: {mechanism.name}\n    patches:\n      - {flow(keys)}\n"


def source_of(mechanism: Mechanism) -> str:
    """Returns `sources` of waves in a region without azimuth: the tensor at its centroid, released in a triangle."""
    m = mechanism.tensor
    parts = {"xx": m[0, 0], "yy": m[1, 1], "zz": m[2, 2], "yz": m[1, 2], "xz": m[0, 2], "xy": m[0, 1]}
    moment = ", ".join(f"{key}_n_m: {value:.6e}" for key, value in parts.items())
    at = flow({"lon_deg": mechanism.lon, "lat_deg": mechanism.lat, "depth_km": 1e-3 * mechanism.depth_m})
    # The duration that fits all of the catalogue: half of it is 1.05e-8 of the cube root of the moment in dyne cm.
    duration = mechanism.duration_s or 2.0 * 1.05e-8 * float(np.cbrt(1e7 * mechanism.moment))
    return (f"sources:\n  - id: {mechanism.name}\n    at: {at}\n    moment: {{{moment}}}\n"
            f"    time_function: {{kind: triangle, duration_s: {number(duration, 4)}}}\n")


def depth_table(grid: DepthGrid) -> str:
    """Returns the text of a table of the nodes that have a depth, for `interface.surface`."""
    rows = ["lon_deg,lat_deg,depth_km"]
    for row, lat in enumerate(grid.lat):
        for column in np.flatnonzero(np.isfinite(grid.depth_m[row])):
            rows.append(f"{grid.lon[column]:.8g},{lat:.8g},{1e-3 * grid.depth_m[row, column]:.6g}")
    return "\n".join(rows) + "\n"


def write(files: Iterable[tuple[pathlib.Path, str]], heads: Sequence[str], force: bool) -> None:
    """Writes texts; comments stand at the top of YAML. Raises Conflict where a file is there, Unavailable."""
    from ..insar.points import refuse_present
    from ...errors import Error

    pairs = list(files)
    refuse_present([path for path, _ in pairs], force)
    try:
        for path, text in pairs:
            path.parent.mkdir(parents=True, exist_ok=True)
            head = "".join(f"# {' '.join(line.split())}\n" for line in heads) if path.suffix == ".yaml" else ""
            path.write_text(head + text, encoding="utf-8")
    except OSError as error:
        raise Error("Unavailable", f"{error.filename}: cannot be written: {error.strerror}") from error
