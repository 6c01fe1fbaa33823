# SPDX-License-Identifier: BSD-3-Clause
"""Reads traces of faults: GeoJSON of GEM's Global Active Faults and of USGS's Quaternary Faults.

GEM (https://github.com/GEMScienceTools/gem-global-active-faults): average_dip, average_rake, upper_seis_depth,
lower_seis_depth as "(most likely,least,most)", in degrees and km; dip_dir as a point of the compass. USGS
(https://www.usgs.gov/programs/earthquake-hazards/faults): fault_name, dip_direction, slip_sense, neither dips nor
depths. Places are longitudes and latitudes (RFC 7946).
"""
from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, Mapping, Sequence

import numpy as np

from ...errors import Error
from .shapes import Trace, refuse

_MOST_BYTES = 512 << 20
_COMPASS = {word: 22.5 * k for k, word in enumerate(
    "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW".split())}
_SENSES = (("dextral", 180.0), ("right", 180.0), ("sinistral", 0.0), ("left", 0.0), ("reverse", 90.0), ("thrust", 90.0),
           ("normal", -90.0))
_NAMES = ("name", "fault_name", "section_name", "fs_name", "catalog_id")
_DIPS = ("average_dip", "dip", "dip_deg")
_DIRECTIONS = ("dip_dir", "dip_direction", "ave_dip_dir", "dip_azimuth")
_RAKES = ("average_rake", "rake", "rake_deg")
_UPPER, _LOWER = ("upper_seis_depth", "usd", "upper_depth"), ("lower_seis_depth", "lsd", "lower_depth")
_TYPES = ("slip_type", "slip_sense")


def read_traces(path: str | os.PathLike[str], given: Mapping[str, float] | None = None, only: Sequence[str] = (),
                bounds: Sequence[float] = ()) -> list[Trace]:
    """Returns the lines of a file. ``given`` replaces what it says, or stands in for what it leaves out: ``dip_deg``,
    ``dip_direction_deg``, ``rake_deg``, ``top_m``, ``bottom_m``. ``only``: words that names must contain; ``bounds``:
    west, east, south, north that a line must touch. Raises InvalidArgument, NotFound."""
    path, given = pathlib.Path(path), given or {}
    features = _features(path)
    found = []
    for number, feature in enumerate(features):
        place = f"{path.name}: features[{number}]"
        properties, lines = _parts(feature, place)
        name = str(_first(properties, _NAMES) or f"fault {number + 1}")
        if len(only) and not any(word.lower() in name.lower() for word in only):
            continue
        for line in lines:
            lon, lat = _line(line, place)
            if len(bounds) and not _touches(lon, lat, bounds):
                continue
            found.append(_trace(f"{place} '{name[:60]}'", name, lon, lat, properties, given))
    if not found:
        refuse(f"{path.name}: features", "must be one or more lines that --only and --bounds leave",
               f"none of {len(features)}")
    return found


def _features(path: pathlib.Path) -> list[Any]:
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    if path.stat().st_size > _MOST_BYTES:
        refuse(path.name, f"must have at most {_MOST_BYTES} bytes", path.stat().st_size)
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        refuse(path.name, f"must be GeoJSON: {error}")
    kind = data.get("type") if isinstance(data, dict) else None
    if kind == "Feature":
        return [data]
    features = data.get("features") if isinstance(data, dict) else None
    if kind != "FeatureCollection" or not isinstance(features, list):
        refuse(f"{path.name}: type", "must be FeatureCollection or Feature", repr(kind))
    return features


def _parts(feature: Any, place: str) -> tuple[Mapping[str, Any], list[Any]]:
    if not isinstance(feature, dict) or not isinstance(feature.get("geometry") or {}, dict):
        refuse(place, "must be a Feature with a geometry")
    geometry, properties = feature.get("geometry") or {}, feature.get("properties") or {}
    kind, lines = geometry.get("type"), geometry.get("coordinates")
    if kind not in ("LineString", "MultiLineString"):
        refuse(f"{place}.geometry.type", "must be LineString or MultiLineString", repr(kind))
    if not isinstance(properties, dict) or not isinstance(lines, list):
        refuse(place, "must have properties and coordinates")
    lower = {str(key).lower(): value for key, value in properties.items()}
    return lower, [lines] if kind == "LineString" else lines


def _line(line: Any, place: str) -> tuple[Any, Any]:
    try:
        points = np.array([[float(point[0]), float(point[1])] for point in line], dtype=np.float64)
    except (TypeError, ValueError, IndexError, KeyError, OverflowError) as error:
        refuse(f"{place}.geometry.coordinates", f"must be pairs of numbers: {error}")
    if points.ndim != 2 or len(points) < 2:
        refuse(f"{place}.geometry.coordinates", "must be two or more points", len(points))
    good = np.isfinite(points).all(axis=1) & (np.abs(points[:, 0]) <= 360.0) & (np.abs(points[:, 1]) <= 89.0)
    if not good.all():
        refuse(f"{place}.geometry.coordinates", "must be longitudes and latitudes in degrees",
               points[int(np.argmin(good))].tolist())
    moved = np.concatenate([[True], (np.diff(points, axis=0) != 0.0).any(axis=1)])
    points = points[moved]
    if len(points) < 2:
        refuse(f"{place}.geometry.coordinates", "must be two or more places", 1)
    return points[:, 0], points[:, 1]


def _trace(place: str, name: str, lon: Any, lat: Any, said: Mapping[str, Any], given: Mapping[str, float]) -> Trace:
    direction = _direction(place, said)
    dip = given.get("dip_deg", _number(place, said, _DIPS))
    if dip is None and direction == "V":
        dip = 90.0
    top = given.get("top_m", _km(_number(place, said, _UPPER)))
    bottom = given.get("bottom_m", _km(_number(place, said, _LOWER)))
    for field, option, value in (("dip", "--dip-deg", dip), ("lower depth", "--bottom-depth-km", bottom)):
        if value is None:
            refuse(f"{place}: {field}", f"must be given ({option}), for the file has none")
    assert dip is not None and bottom is not None
    azimuth = given.get("dip_direction_deg", None if direction == "V" else direction)
    if azimuth is None and dip < 89.9 and direction == "V":
        refuse(f"{place}: dip_direction", f"must fit a dip of {dip:g} degrees, got 'V' (vertical)")
    return Trace(name, lon, lat, float(dip), float(top or 0.0), float(bottom), azimuth,  # type: ignore[arg-type]
                 given.get("rake_deg", _rake(place, said)))


def _first(said: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((said[key] for key in keys if said.get(key) not in (None, "", " ")), None)


def _km(value: float | None) -> float | None:
    return None if value is None else 1e3 * value


def _number(place: str, said: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    """Returns a number, or of "(most likely,least,most)" the first, else the mean of the others."""
    value = _first(said, keys)
    if value is None:
        return None
    words = re.sub(r"[()\[\]]", " ", str(value)).split(",")
    try:
        numbers = [float(word) if word.strip() else None for word in words]
    except ValueError:
        refuse(f"{place}: {next(k for k in keys if k in said)}", "must be a number, or (most likely,least,most)", repr(value))
    known = [n for n in numbers if n is not None and np.isfinite(n)]
    if not known:
        return None
    return float(numbers[0]) if numbers[0] is not None else float(np.mean(known))


def _direction(place: str, said: Mapping[str, Any]) -> float | str | None:
    value = _first(said, _DIRECTIONS)
    if value is None:
        return None
    word = str(value).strip().upper()
    if word in ("V", "VERTICAL"):
        return "V"
    if word in _COMPASS:
        return _COMPASS[word]
    try:
        azimuth = float(word)
    except ValueError:
        azimuth = np.nan
    if not np.isfinite(azimuth):
        refuse(f"{place}: dip_dir", "must be a point of the compass, degrees, or V", repr(value))
    return azimuth % 360.0


def _rake(place: str, said: Mapping[str, Any]) -> float | None:
    """Returns the rake, else that of the type of slip where it is one alone."""
    rake = _number(place, said, _RAKES)
    if rake is not None:
        return rake
    word = str(_first(said, _TYPES) or "").lower()
    senses = {value for text, value in _SENSES if text in word}
    return senses.pop() if len(senses) == 1 else None


def _touches(lon: Any, lat: Any, bounds: Sequence[float]) -> bool:
    west, east, south, north = bounds
    return bool((((lon - west) % 360.0 <= (east - west) % 360.0) & (lat >= south) & (lat <= north)).any())
