# SPDX-License-Identifier: BSD-3-Clause
"""Files of a fitted source: samples in HDF5, and the request of Green's functions on its best plane."""
from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np

from ...errors import need
from .fit import LEVELS, Geometry

_UNITS = (("_deg", "degree"), ("_m3", "m3"), ("_n_m", "N m"), ("_m", "m"))
_ROWS = 6  # of patches, down dip of the request's plane
_MOST_ALONG = 24


def unit_of(name: str) -> str:
    """Returns the unit that a number's name ends in; 1: none."""
    return next((unit for ending, unit in _UNITS if name.endswith(ending) and not name.startswith("factor_")), "1")


def summary(found: Geometry) -> dict[str, Any]:
    """Returns the numbers of a report, as JSON has them."""
    quantiles = found.quantiles()
    return {
        "source": found.source.kind, "converged": found.converged, "best": dict(found.best),
        "quantiles": {name: [float(v) for v in values] for name, values in quantiles.items()},
        "levels": list(LEVELS), "effective": dict(found.effective), "r_hat": dict(found.r_hat),
        "acceptance": found.acceptance,
        "tables": {t.name: {"rows": len(t), "variance_reduction": v}
                   for t, v in zip(found.tables, found.variance_reduction)}}


def write_samples(found: Geometry, path: pathlib.Path) -> None:
    """Writes `samples/NAME` [sample], `quantiles/NAME` [level], and `tables/NAME/{observed,predicted,nuisance}`."""
    h5py = need("h5py", "python3-h5py", "geometry.h5")
    part = path.with_name(f".{path.name}.part")
    with h5py.File(part, "w") as file:
        file.attrs["kaname_kind"] = "geometry"
        file.attrs["source"] = found.source.kind
        file.attrs["poisson"] = found.source.poisson
        if found.source.layers is not None:
            layers = file.create_group("layers")
            for key, unit in (("bottoms_m", "m"), ("lambda_pa", "Pa"), ("mu_pa", "Pa")):
                layers.create_dataset(key.rpartition("_")[0], data=getattr(found.source.layers, key)).attrs["units"] = unit
        file.attrs["converged"] = found.converged
        file.attrs["reference_lon_deg"], file.attrs["reference_lat_deg"] = found.reference
        file["levels"] = np.array(LEVELS)
        for name, values in found.samples.items():
            one = file.create_dataset(f"samples/{name}", data=values, compression="gzip", shuffle=True)
            one.attrs["units"] = unit_of(name)
            one.attrs["best"] = found.best[name]
            if name in found.effective:
                one.attrs["effective_samples"], one.attrs["r_hat"] = found.effective[name], found.r_hat[name]
        for name, quantiles in found.quantiles().items():
            file.create_dataset(f"quantiles/{name}", data=quantiles).attrs["units"] = unit_of(name)
        for table, predicted, nuisance in zip(found.tables, found.predicted, found.nuisance):
            group = file.create_group(f"tables/{table.name}")
            unit = "m year-1" if table.rate else "m"
            for name, motion in (("observed", table.observed), ("predicted", predicted), ("nuisance", nuisance),
                                 ("sigma", table.sigma)):
                group.create_dataset(name, data=motion).attrs["units"] = unit
            group.create_dataset("lon", data=table.lon).attrs["units"] = "degrees_east"
            group.create_dataset("lat", data=table.lat).attrs["units"] = "degrees_north"
            group.create_dataset("direction", data=table.direction)
            group.create_dataset("station", data=list(table.station), dtype=h5py.string_dtype())
    part.replace(path)


def plane_of(found: Geometry, enlarged: float) -> dict[str, float]:
    """Returns the keys of `fault.plane` for the best rectangle, its sides ``enlarged`` times about its middle.

    Slip that is uniform on a rectangle stands for slip that dies away beyond it. The plane ends at the ground.
    """
    best = found.best
    dip = np.radians(best["dip_deg"])
    width = best["width_m"] * enlarged
    up = min(0.5 * (enlarged - 1.0) * best["width_m"], best["top_depth_m"] / max(np.sin(dip), 1e-9))
    # Up dip is to the left of the strike.
    strike = np.radians(best["strike_deg"])
    degree = np.pi / 180.0 * 6371000.0
    lon = best["centre_lon_deg"] - up * np.cos(dip) * np.cos(strike) / (degree * np.cos(np.radians(best["centre_lat_deg"])))
    lat = best["centre_lat_deg"] + up * np.cos(dip) * np.sin(strike) / degree
    return {"centre_lon_deg": round(float(lon), 5), "centre_lat_deg": round(float(lat), 5),
            "top_depth_km": round(1e-3 * (best["top_depth_m"] - up * float(np.sin(dip))) + 0.0, 3),
            "strike_deg": round(best["strike_deg"], 2), "dip_deg": round(best["dip_deg"], 2),
            "length_km": round(1e-3 * best["length_m"] * enlarged, 3), "width_km": round(1e-3 * width, 3)}


def request(found: Geometry, name: str, stations: str, enlarged: float, rigidity_pa: float) -> str:
    """Returns a GreensBatch (YAML) of patches on the best plane, in the half-space or the layers of the fit."""
    plane = plane_of(found, enlarged)
    columns = int(np.clip(round(_ROWS * plane["length_km"] / plane["width_km"]), 2, _MOST_ALONG))
    keys = ", ".join(f"{key}: {value:g}" for key, value in plane.items())
    return (
        f"# Patches on the plane that fits best, {enlarged:g} times its length and width. Put your own structure in\n"
        "# place of this one, then: kaname run, kaname invert.\n"
        f"schema: kaname.v1.GreensBatch\nname: {name}\n\n{_structure(found, rigidity_pa)}\n"
        f"fault:\n  plane: {{{keys}, n_strike: {columns}, n_dip: {_ROWS}, components: [strike_slip, dip_slip]}}\n\n"
        f"stations: {{files: [{json.dumps(stations)}]}}\n")


def _structure(found: Geometry, rigidity_pa: float) -> str:
    layers = found.source.layers
    if layers is None:
        lame = rigidity_pa * 2.0 * found.source.poisson / (1.0 - 2.0 * found.source.poisson)
        rocks, bottoms = [("rock", lame, rigidity_pa)], [""]
    else:
        rocks = [(f"layer-{k + 1}", lame, mu) for k, (lame, mu) in enumerate(zip(layers.lambda_pa, layers.mu_pa))]
        bottoms = [f", bottom_depth_km: {1e-3 * bottom:g}" for bottom in layers.bottoms_m] + [""]
    materials = [f"    - {{name: {name}, lambda_gpa: {1e-9 * lame:g}, mu_gpa: {1e-9 * mu:g}}}\n" for name, lame, mu in rocks]
    rows = [f"    - {{material: {rock[0]}{bottom}}}\n" for rock, bottom in zip(rocks, bottoms)]
    return "structure:\n  materials:\n" + "".join(materials) + "  layers:\n" + "".join(rows)


def stations_csv(found: Geometry) -> str:
    """Returns the table of all stations, without a look, so that a dataset serves every component."""
    lines: dict[str, str] = {}
    for table in found.tables:
        for station, lon, lat in zip(table.station, table.lon, table.lat):
            lines.setdefault(station, f"{station},{lon:.7f},{lat:.7f}")
    return "station,lon_deg,lat_deg\n" + "\n".join(lines.values()) + "\n"
