# SPDX-License-Identifier: BSD-3-Clause
"""Reads moment tensors: ndk of the Global CMT catalogue and QuakeML 1.2, and finds their two nodal planes.

ndk (https://www.ldeo.columbia.edu/~gcmt/projects/CMT/catalog/allorder.ndk_explained): five lines of 80 columns; the
exponent of line 4 is of dyne cm, and Mrr Mtt Mpp Mrt Mrp Mtp have r up, t south, p east. QuakeML
(https://quake.ethz.ch/quakeml): focalMechanism/momentTensor/tensor in N m, of which the preferred one is read.
"""
from __future__ import annotations

import datetime
import os
import pathlib
import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...errors import Error, need
from .shapes import Array, Rectangle, name_of, refuse, to_degrees

_MOST_BYTES = 256 << 20
# Wells and Coppersmith 1994, table 2A: log10 of subsurface length and of width [km] is a + b M, by the kind of slip.
_SIZES = {"strike": (-2.57, 0.62, -0.76, 0.27), "reverse": (-2.42, 0.58, -1.61, 0.41), "normal": (-1.88, 0.50, -1.14, 0.35)}


@dataclass(frozen=True)
class Mechanism:
    """A moment tensor at its centroid: ``tensor`` [3][3] in N m, axes east, north, up."""

    name: str
    title: str
    time: str
    lon: float
    lat: float
    depth_m: float
    tensor: Array
    duration_s: float | None = None

    @property
    def moment(self) -> float:
        """Scalar moment [N m], norm over the root of two."""
        return float(np.sqrt(0.5 * (self.tensor * self.tensor).sum()))

    @property
    def magnitude(self) -> float:
        return (float(np.log10(self.moment)) - 9.1) / 1.5

    @property
    def double_couple(self) -> float:
        """1 of a pure double couple, 0 of a pure compensated dipole: 1 - 2 |smallest| / |largest| of the deviator."""
        values = np.linalg.eigvalsh(self.tensor - np.trace(self.tensor) / 3.0 * np.eye(3))
        return 1.0 - 2.0 * float(np.abs(values).min() / np.abs(values).max())

    def planes(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Returns strike, dip and rake of both nodal planes of the best double couple, the steeper one last."""
        axes = np.linalg.eigh(self.tensor - np.trace(self.tensor) / 3.0 * np.eye(3))[1]
        t, p = axes[:, 2], axes[:, 0]
        pair = ((t + p) / np.sqrt(2.0), (t - p) / np.sqrt(2.0))
        made = sorted((angles_of(*pair), angles_of(*pair[::-1])), key=lambda a: a[1])
        return made[0], made[1]

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``tensor`` [N m] over row and column (east, north, up), ``strike``, ``dip``, ``rake``
        [degrees] over nodal_plane (the steeper one last), ``lon``, ``lat`` [degrees] and ``depth`` [m] of the centroid,
        ``moment`` [N m], ``magnitude``, ``double_couple``, and ``duration`` [s], NaN where it is not known."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        angles = np.array(self.planes())
        numbers = {"lon": (self.lon, {"units": "degrees_east"}), "lat": (self.lat, {"units": "degrees_north"}),
                   "depth": (self.depth_m, {"units": "m", "positive": "down"}), "moment": (self.moment, {"units": "N m"}),
                   "magnitude": (self.magnitude, {"units": "1"}), "double_couple": (self.double_couple, {"units": "1"}),
                   "duration": (np.nan if self.duration_s is None else self.duration_s, {"units": "s"})}
        variables: dict[str, Any] = {key: ((), value, about) for key, (value, about) in numbers.items()}
        variables |= {key: ("nodal_plane", angles[:, k], {"units": "degree"}) for k, key in enumerate(("strike", "dip", "rake"))}
        variables["tensor"] = (("row", "column"), self.tensor, {"units": "N m"})
        axes = ["east", "north", "up"]
        return xarray.Dataset(variables, {"row": axes, "column": axes},
                              {"title": self.title, "name": self.name, "time": self.time})

    def rectangle(self, plane: tuple[float, float, float], mu_pa: float, name: str) -> tuple[Rectangle, float]:
        """Returns a fault about the centroid, as large as faults of the magnitude are, and its slip [m]. One that would
        stick out of the ground is moved down."""
        strike, dip, rake = plane
        kind = "reverse" if 45.0 <= rake <= 135.0 else "normal" if -135.0 <= rake <= -45.0 else "strike"
        a, b, c, d = _SIZES[kind]
        length, width = 1e3 * 10.0 ** (a + b * self.magnitude), 1e3 * 10.0 ** (c + d * self.magnitude)
        sine, cosine = np.sin(np.radians(dip)), np.cos(np.radians(dip))
        top = max(0.0, self.depth_m - 0.5 * width * float(sine))
        up = 0.5 * width * float(cosine)  # from the centroid, against the dip
        lon, lat = to_degrees(-up * np.cos(np.radians(strike)), up * np.sin(np.radians(strike)), self.lon, self.lat)
        made = Rectangle(name_of(name), float(lon), float(lat), top, strike, max(1.0, dip), length, width, rake)
        return made, self.moment / (mu_pa * length * width)


def angles_of(normal: Array, slip: Array) -> tuple[float, float, float]:
    """Returns strike, dip and rake [degrees] of a plane with this normal and slip, axes east, north, up. Both are
    turned so that the normal points into the hanging wall."""
    if normal[2] < 0.0:
        normal, slip = -normal, -slip
    dip = float(np.degrees(np.arccos(min(1.0, float(normal[2])))))
    strike = float(np.arctan2(normal[0], normal[1])) - 0.5 * np.pi
    along = np.array([np.sin(strike), np.cos(strike), 0.0])
    rake = np.degrees(np.arctan2(float(slip @ np.cross(normal, along)), float(slip @ along)))
    return float(np.degrees(strike)) % 360.0, dip, float(rake)


def east_north_up(rr: float, tt: float, pp: float, rt: float, rp: float, tp: float) -> Array:
    """Returns the tensor of axes up, south, east in east, north, up."""
    return np.array([[pp, -tp, rp], [-tp, tt, -rt], [rp, -rt, rr]])


def read_mechanisms(path: str | os.PathLike[str]) -> list[Mechanism]:
    """Returns all moment tensors of a file. Raises InvalidArgument, NotFound."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    if path.stat().st_size > _MOST_BYTES:
        refuse(path.name, f"must have at most {_MOST_BYTES} bytes", path.stat().st_size)
    data = path.read_bytes()
    found = _quakeml(path, data) if data.lstrip()[:1] == b"<" else _ndk(path, data)
    if not found:
        refuse(f"{path.name}: events", "must be one or more with a moment tensor", 0)
    return found


def chosen(path: pathlib.Path, found: list[Mechanism], event: str | None) -> Mechanism:
    """Returns the only event, or the one whose name or time begins or ends with ``event``."""
    kept = [one for one in found if event is None or event in (one.name, one.title) or one.time.startswith(event)
            or one.title.endswith(event)]
    if len(kept) != 1:
        shown = ", ".join(f"{one.title} ({one.time})" for one in (kept or found)[:5])
        refuse(f"{path.name}: event", f"must be one of {len(found)} (--event): {shown}", event or "none")
    return kept[0]


def _checked(place: str, title: str, time: str, numbers: list[float], tensor: Array, duration: float | None) -> Mechanism:
    lon, lat, depth = numbers
    for field, value, low, high in (("longitude", lon, -180.0, 360.0), ("latitude", lat, -89.0, 89.0),
                                    ("depth", 1e-3 * depth, 0.0, 1000.0)):
        if not (np.isfinite(value) and low <= value <= high):
            refuse(f"{place}: {field}", f"must be {low:g} to {high:g}", f"{value:g}")
    size = float(np.sqrt(0.5 * (tensor * tensor).sum())) if np.isfinite(tensor).all() else np.nan
    if not 1e6 <= size <= 1e25:
        refuse(f"{place}: moment tensor", "must have a moment of 1e6 to 1e25 N m", f"{size:g}")
    if duration is not None and not 0.0 < duration < 1e4:
        duration = None
    return Mechanism(name_of(title), title, time, lon, lat, depth, tensor, duration)


def _ndk(path: pathlib.Path, data: bytes) -> list[Mechanism]:
    lines = [line.rstrip("\r") for line in data.decode("utf-8", "replace").split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines or len(lines) % 5:
        refuse(f"{path.name}: lines", "must be five for each event (ndk), or the file QuakeML", len(lines))
    found = []
    for first in range(0, len(lines), 5):
        a, b, c, d, _ = lines[first:first + 5]

        def number(line: int, text: str, what: str) -> float:
            try:
                value = float(text)
            except ValueError:
                value = np.nan
            if not np.isfinite(value):
                refuse(f"{path.name}:{first + line}: {what}", "must be a number", text.strip())
            return value

        if not c.startswith("CENTROID:"):
            refuse(f"{path.name}:{first + 3}", "must begin with 'CENTROID:'", c[:20])
        try:
            day = datetime.datetime.strptime(a[5:15], "%Y/%m/%d")
        except ValueError:
            refuse(f"{path.name}:{first + 1}: date", "must be as 2011/03/11 in columns 6 to 15", a[5:15])
        centroid, tensor = c.removeprefix("CENTROID:").split(), d.split()
        if len(centroid) < 8 or len(tensor) < 13:
            line, got = (3, len(centroid)) if len(centroid) < 8 else (4, len(tensor))
            refuse(f"{path.name}:{first + line}: numbers", "must be 8 or more" if line == 3 else "must be 13", got)
        exponent = number(4, tensor[0], "exponent")
        parts = [number(4, word, "moment tensor") for word in tensor[1:13:2]]
        lat, lon, depth = (number(3, centroid[k], "centroid") for k in (2, 4, 6))
        half = re.search(r"(?:TRIHD|BOXHD):\s*([0-9.]+)", b)
        with np.errstate(over="ignore"):
            tensor_nm = east_north_up(*parts) * np.float64(10.0) ** (exponent - 7.0)
        found.append(_checked(f"{path.name}:{first + 1}", b[:16].strip() or f"event-{first // 5 + 1}",
                              f"{day:%Y-%m-%d}T{a[16:26].strip()}", [lon, lat, 1e3 * depth], tensor_nm,
                              2.0 * float(half[1]) if half and half[1].count(".") <= 1 and half[1] != "." else None))
    return found


def _quakeml(path: pathlib.Path, data: bytes) -> list[Mechanism]:
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        refuse(path.name, "must be QuakeML without DOCTYPE and ENTITY, which could make a small file a huge one")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError) as error:
        refuse(path.name, f"must be QuakeML: {error}")
    for element in root.iter():  # Names are looked for without their namespaces, which change with the version.
        element.tag = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""
    found = []
    for number, event in enumerate(root.iter("event"), 1):
        mechanism = _preferred(event, "focalMechanism", "preferredFocalMechanismID")
        moment = None if mechanism is None else mechanism.find("momentTensor")
        if moment is None or moment.find("tensor") is None:
            continue
        identity = event.get("publicID") or f"event {number}"
        place = f"{path.name}: {identity}"
        origin = _origin(event, moment)
        if origin is None:
            refuse(f"{place}: origin", "must be there for the moment tensor")
        parts = [_value(moment.find("tensor"), key, place) for key in ("Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp")]
        numbers = [_value(origin, key, place) for key in ("longitude", "latitude", "depth")]
        source = moment.find("sourceTimeFunction/duration")
        time = (origin.findtext("time/value") or "").strip()
        title = re.split(r"[/=]", identity)[-1] or identity
        try:
            duration = float(source.text or "nan") if source is not None else None
        except ValueError:
            duration = None
        found.append(_checked(place, title, time, numbers, east_north_up(*parts), duration))
    return found


def _preferred(event: ElementTree.Element, tag: str, key: str) -> ElementTree.Element | None:
    wanted = (event.findtext(key) or "").strip()
    all_of = event.findall(tag)
    return next((one for one in all_of if one.get("publicID") == wanted), all_of[0] if all_of else None)


def _origin(event: ElementTree.Element, moment: ElementTree.Element) -> ElementTree.Element | None:
    wanted = (moment.findtext("derivedOriginID") or "").strip()
    named = next((one for one in event.findall("origin") if one.get("publicID") == wanted), None)
    return named if named is not None else _preferred(event, "origin", "preferredOriginID")


def _value(element: ElementTree.Element | None, key: str, place: str) -> float:
    text = "" if element is None else (element.findtext(f"{key}/value") or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        refuse(f"{place}: {key}", "must be a number", repr(text))
    return value
