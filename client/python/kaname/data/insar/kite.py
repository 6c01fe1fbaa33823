# SPDX-License-Identifier: BSD-3-Clause
"""Reads scenes of kite (https://pyrocko.org/kite/docs/current/): NAME.npz with NAME.yml.

The npz holds displacement [m], theta and phi [rad] as arr_0, arr_1 and arr_2, row 0 in the south;
the yml the frame, whose llLon and llLat are the place of the first pixel. theta is counted up from the
horizontal and phi anticlockwise from east, both towards the satellite.
"""
from __future__ import annotations

import pathlib
import zipfile
import zlib
from typing import Any

import numpy as np

from ...errors import Error, invalid, need
from . import units
from .raster import EARTH_RADIUS_M, MOST_PIXELS, Array
from .reading import Found, Reading

_MOST_TEXT = 4 << 20  # bytes of a yml


def open_raster(file: pathlib.Path, reading: Reading) -> Found:
    """Reads a scene by either of its files. Raises NotFound, InvalidArgument."""
    arrays, frame = file.with_suffix(".npz"), file.with_suffix(".yml")
    for path in (arrays, frame):
        if not path.is_file():
            raise Error("NotFound", f"{path} is not there, the other file of {file.name}")
    values, theta, phi = _arrays(arrays)
    lon, lat = _places(frame, values.shape)
    look = units.look_of_elevation(arrays.name, theta, phi)
    return Found(values, lon, lat, look, "m")


def _arrays(path: pathlib.Path) -> list[Array]:
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(item.file_size for item in packed.infolist())
            if size > 4 * 8 * MOST_PIXELS or size > 2000 * path.stat().st_size + (1 << 20):
                invalid(f"{path.name}", f"must hold at most {MOST_PIXELS} pixels, got {size} bytes")
        with np.load(path, allow_pickle=False) as container:
            keys = [key for key in ("arr_0", "arr_1", "arr_2") if key in container]
            if len(keys) < 3:
                invalid(path.name, "must hold displacement, theta and phi as arr_0, arr_1 and arr_2, got "
                                   f"{', '.join(sorted(container.files)) or 'nothing'}")
            found = [container[key] for key in keys]
    except Error:
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError,
            RuntimeError, TypeError, SyntaxError, MemoryError, OverflowError, IndexError, AttributeError) as error:
        raise Error("InvalidArgument", f"{path}: must be a readable npz file: {error}") from error
    for key, array in zip(keys, found):
        if array.dtype.kind not in "fiu":
            invalid(f"{path.name}: {key}", f"must hold numbers, got type {array.dtype}")
    values = found[0].astype(np.float64)
    if values.ndim != 2:
        invalid(f"{path.name}: arr_0", f"must be [row][column], got shape {values.shape}")
    angles = []
    for key, array in zip(keys[1:], found[1:]):
        if array.size != 1 and array.shape != values.shape:
            invalid(f"{path.name}: {key}", f"must be one angle or have the pixels of the displacement, got shape "
                                           f"{array.shape}")
        one = array.astype(np.float64)
        angles.append(np.array(np.broadcast_to(one.reshape(1, 1) if one.size == 1 else one, values.shape)))
    return [values, *angles]


def _places(path: pathlib.Path, shape: tuple[int, ...]) -> tuple[Array, Array]:
    frame = _frame(path)

    def number(key: str) -> float:
        value = frame.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            invalid(f"{path.name}: frame.{key}", f"must be a number, got {value!r}")
        return float(value)

    spacing = frame.get("spacing", "degree")
    if spacing not in ("degree", "meter"):
        invalid(f"{path.name}: frame.spacing", f"must be degree or meter, got {spacing!r}")
    steps = {key: number(key) for key in ("dE", "dN")}
    for key, step in steps.items():
        if not step > 0.0:
            invalid(f"{path.name}: frame.{key}", f"must be > 0, got {step:g}")
    first_lon, first_lat = number("llLon"), number("llLat")
    if not -90.0 < first_lat < 90.0:
        invalid(f"{path.name}: frame.llLat", f"must lie between -90 and 90 degrees, got {first_lat:g}")
    north = np.arange(shape[0]) * steps["dN"]
    east = np.arange(shape[1]) * steps["dE"]
    if spacing == "meter":
        north = np.degrees(north / EARTH_RADIUS_M)
        east = np.degrees(east / EARTH_RADIUS_M) / np.cos(np.radians(first_lat))
    lon, lat = np.meshgrid(first_lon + east, first_lat + north)
    return lon, lat


def _frame(path: pathlib.Path) -> dict[str, Any]:
    yaml = need("yaml", "python3-yaml", f"reading {path.name}")

    class Loader(yaml.SafeLoader):  # type: ignore[misc,name-defined]
        """Reads mappings of kite's own types as mappings."""

    def plain(loader: Any, _suffix: str, node: Any) -> Any:
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.add_multi_constructor("!", plain)
    if path.stat().st_size > _MOST_TEXT:
        invalid(path.name, f"must have at most {_MOST_TEXT} bytes, got {path.stat().st_size}")
    try:
        text = path.read_text(encoding="utf-8")
        if "&" in text:
            # Anchors could make a small text a huge one; kite writes none.
            for token in yaml.scan(text):
                if isinstance(token, yaml.AliasToken):
                    invalid(path.name, f"must not have YAML aliases, got *{token.value}")
        scene = yaml.load(text, Loader)
    except Error:
        raise
    except (OSError, UnicodeDecodeError, ValueError, TypeError, RecursionError, AttributeError, OverflowError, KeyError,
            yaml.YAMLError) as error:
        said = " ".join(str(error).split())
        raise Error("InvalidArgument", f"{path}: must be a scene of kite: {said}") from error
    frame = scene.get("frame") if isinstance(scene, dict) else None
    if not isinstance(frame, dict):
        invalid(f"{path.name}: frame", f"must be a mapping with llLon, llLat, dE and dN, got {type(frame).__name__}")
    return frame
