# SPDX-License-Identifier: BSD-3-Clause
"""Writes slip as other programs read it: SRCMOD's .fsp, USGS's .param, MudPy's .rupt, GMT and KML.

SRCMOD: http://equake-rc.info/SRCMOD (fsp version 2). USGS: finite-fault products, one point source a patch, whose
outline joins the outermost points. MudPy: FakeQuakes' .rupt. GMT: multi-segment polygons. KML: OGC 07-147r2.
"""
from __future__ import annotations

import datetime
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ..fault.shapes import to_degrees, to_metres
from .patches import SlipPatches

_COLOURS = 16


def _known(value: float, unknown: float) -> float:
    return float(value) if np.isfinite(value) else unknown


def _origin(slip: SlipPatches, hypocentre: tuple[float, float, float] | None) -> tuple[float, float, float]:
    """Returns the hypocentre, else the centre of the moment: longitude, latitude, depth [km]."""
    if hypocentre is not None:
        return hypocentre
    weight = slip.moment if slip.moment.sum() > 0.0 else np.ones_like(slip.moment)
    lon = slip.lon[0] + (slip.lon - slip.lon[0] + 180.0) % 360.0 - 180.0
    return (float(np.average(lon, weights=weight)), float(np.average(slip.lat, weights=weight)),
            1e-3 * float(np.average(slip.depth_m, weights=weight)))


def _mean_angle(degrees: Any, weight: Any) -> float:
    turn = np.radians(degrees)
    return float(np.degrees(np.arctan2((weight * np.sin(turn)).sum(), (weight * np.cos(turn)).sum())))


def fsp(slip: SlipPatches, title: str, hypocentre: tuple[float, float, float] | None = None) -> str:
    """Returns .fsp: a segment for each fault and size of patches. Rows state strike and dip of their own where patches
    of a segment differ, and their moments."""
    lon0, lat0, depth0 = _origin(slip, hypocentre)
    groups = slip.segments()
    weight = slip.length_m * slip.width_m
    strike, rake = (_mean_angle(a, weight) for a in (slip.strike_deg, slip.rake_deg))
    top = 1e-3 * float((slip.depth_m - 0.5 * slip.width_m * np.sin(np.radians(slip.dip_deg))).min())
    columns, rows = slip.grid(groups[0])
    dx, dz = (1e-3 * float(a[groups[0][0]]) for a in (slip.length_m, slip.width_m))
    timed = bool(np.isfinite(slip.rupture_s).all())
    risen = bool(np.isfinite(slip.rise_s).all())
    rule = "% " + 88 * "-"
    lines = [
        rule, "% FINITE-SOURCE RUPTURE MODEL", "%", f"% Event : {title}", f"% EventTAG: {slip.name}", "%",
        f"% Loc  : LAT = {lat0:.4f}  LON = {lon0:.4f}  DEP = {depth0:.3f}",
        f"% Size : LEN = {columns * dx:.4f} km  WID = {rows * dz:.4f} km  Mw = {slip.magnitude:.3f}  "
        f"Mo = {slip.moment.sum():.6e} Nm",
        f"% Mech : STRK = {strike % 360.0:.3f}  DIP = {float(np.average(slip.dip_deg, weights=weight)):.3f}  "
        f"RAKE = {rake:.3f}  Htop = {top:.4f} km",
        "% Rupt : HypX = 999 km  HypZ = 999 km  avTr = 999 s  avVr = 999 km/s", "%",
        f"% Invs : Nx = {columns}  Nz = {rows}  Fmin = 999 Hz  Fmax = 999 Hz",
        f"% Invs : Dx = {dx:.5f} km  Dz = {dz:.5f} km",
        f"% Invs : Ntw = 0  Nsg = {len(groups)}  (# of time-windows,# of fault segments)", "%", rule, "%",
        f"% {datetime.date.today():%Y-%m-%d} created by Kaname", "%"]
    if len(groups) == 1:
        lines += [f"% Nsbfs = {len(groups[0])}", "%"]
    lines += ["% X,Y,Z coordinates in km; SLIP in m", "% RAKE in deg, RISE in s, TRUP in s; SF_MOMENT in Nm",
              "% Coordinates are given for center of each subfault or segment: |'|",
              "% Origin of local coordinate system at epicenter: X (EW) = 0, Y (NS) = 0"]
    for number, group in enumerate(groups, 1):
        one = [float(a[group].min()) for a in (slip.strike_deg, slip.dip_deg)] == [
            float(a[group].max()) for a in (slip.strike_deg, slip.dip_deg)]
        if len(groups) > 1:
            dx, dz = (1e-3 * float(a[group[0]]) for a in (slip.length_m, slip.width_m))
            columns, rows = slip.grid(group)
            edge = 1e-3 * float((slip.depth_m - 0.5 * slip.width_m * np.sin(np.radians(slip.dip_deg)))[group].min())
            lines += ["%", rule,
                      f"% SEGMENT # {number}: STRIKE = {_mean_angle(slip.strike_deg[group], weight[group]) % 360:.3f} deg  "
                      f"DIP = {float(np.average(slip.dip_deg[group], weights=weight[group])):.3f} deg",
                      f"% LEN = {columns * dx:.4f} km  WID = {rows * dz:.4f} km",
                      f"% depth to top: Z2top = {edge:.4f} km", f"% Dx = {dx:.5f} km  Dz = {dz:.5f} km",
                      f"% Nsbfs = {len(group)}"]
        names = ["LAT", "LON", "X==EW", "Y==NS", "Z", "SLIP", "RAKE", *(["TRUP"] if timed else []),
                 *(["RISE"] if risen else []), "SF_MOMENT", *([] if one else ["STRIKE", "DIP"])]
        lines += ["%", "% " + "  ".join(names), rule]
        for k in group:
            x, y = to_metres(slip.lon[k], slip.lat[k], lon0, lat0)
            row = [f"{slip.lat[k]:.6f}", f"{slip.lon[k]:.6f}", f"{1e-3 * x:.4f}", f"{1e-3 * y:.4f}",
                   f"{1e-3 * slip.depth_m[k]:.5f}", f"{slip.slip_m[k]:.6f}", f"{slip.rake_deg[k]:.4f}",
                   *([f"{slip.rupture_s[k]:.3f}"] if timed else []), *([f"{slip.rise_s[k]:.3f}"] if risen else []),
                   f"{slip.moment[k]:.6e}", *([] if one else [f"{slip.strike_deg[k]:.4f}", f"{slip.dip_deg[k]:.4f}"])]
            lines.append("  ".join(row))
    return "\n".join(lines) + "\n"


def param(slip: SlipPatches, hypocentre: tuple[float, float, float] | None = None) -> str:
    """Returns .param: slip in cm, moments in dyne cm; unknown times are 0. The outline of a segment is centred on its
    rows, which are the patches' centres."""
    lon0, lat0, _ = _origin(slip, hypocentre)
    groups = slip.segments()
    lines = [f"#Total number of fault_segments={len(groups):6d}"]
    for number, group in enumerate(groups, 1):
        columns, rows = slip.grid(group)
        dx, dy = (1e-3 * float(a[group[0]]) for a in (slip.length_m, slip.width_m))
        lines += [f"#Fault_segment ={number:4d} nx(Along-strike)={columns:4d} Dx={dx:9.4f}km ny(downdip)={rows:4d} "
                  f"Dy={dy:9.4f}km",
                  f"#Boundary of Fault_segment {number:4d}. EQ in cell 1,1. Lon:{lon0:10.4f}   Lat:{lat0:10.4f}",
                  "#Lon.  Lat.  Depth"]
        lines += [" ".join(f"{v:.6f}" for v in corner) for corner in _outline(slip, group, columns, rows)]
        lines.append("#Lat. Lon. depth slip rake strike dip t_rup t_ris t_fal mo")
        for k in group:
            half = 0.5 * _known(slip.rise_s[k], 0.0)
            lines.append(f"{slip.lat[k]:.6f} {slip.lon[k]:.6f} {1e-3 * slip.depth_m[k]:.6f} {100.0 * slip.slip_m[k]:.6f} "
                         f"{slip.rake_deg[k]:.4f} {slip.strike_deg[k]:.4f} {slip.dip_deg[k]:.4f} "
                         f"{_known(slip.rupture_s[k], 0.0):.3f} {half:.3f} {half:.3f} {1e7 * slip.moment[k]:.6e}")
    return "\n".join(lines) + "\n"


def _outline(slip: SlipPatches, group: list[int], columns: int, rows: int) -> list[tuple[float, float, float]]:
    """Returns five corners about the mean of the centres, on the mean plane, as far out as the outermost centres."""
    x, y = to_metres(slip.lon[group], slip.lat[group], float(slip.lon[group[0]]), float(slip.lat[group[0]]))
    lon, lat = to_degrees(float(x.mean()), float(y.mean()), float(slip.lon[group[0]]), float(slip.lat[group[0]]))
    strike = np.radians(_mean_angle(slip.strike_deg[group], np.ones(len(group))))
    dip, depth = np.radians(float(slip.dip_deg[group].mean())), float(slip.depth_m[group].mean())
    half = 0.5 * (columns - 1) * float(slip.length_m[group[0]]), 0.5 * (rows - 1) * float(slip.width_m[group[0]])
    found = []
    for a, d in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)):
        along, across = a * half[0], d * half[1] * np.cos(dip)
        place = to_degrees(along * np.sin(strike) + across * np.cos(strike),
                           along * np.cos(strike) - across * np.sin(strike), float(lon), float(lat))
        found.append((float(place[0]), float(place[1]), 1e-3 * float(depth + d * half[1] * np.sin(dip))))
    return found


def rupt(slip: SlipPatches) -> str:
    """Returns MudPy's .rupt: strike slip left-lateral, dip slip reverse, lengths in m, rigidity in Pa."""
    rake = np.radians(slip.rake_deg)
    lines = ["# No\tlon\tlat\tz(km)\tstrike\tdip\trise\tdura\tss-slip(m)\tds-slip(m)\tss_len(m)\tds_len(m)\trupt_time(s)\t"
             "rigidity(Pa)"]
    for k in range(len(slip.patch)):
        lines.append("\t".join([
            str(k + 1), f"{slip.lon[k]:.6f}", f"{slip.lat[k]:.6f}", f"{1e-3 * slip.depth_m[k]:.6f}",
            f"{slip.strike_deg[k]:.4f}", f"{slip.dip_deg[k]:.4f}", "0.5", f"{_known(slip.rise_s[k], 0.0):.3f}",
            f"{slip.slip_m[k] * np.cos(rake[k]):.8f}", f"{slip.slip_m[k] * np.sin(rake[k]):.8f}",
            f"{slip.length_m[k]:.3f}", f"{slip.width_m[k]:.3f}", f"{_known(slip.rupture_s[k], 0.0):.3f}",
            f"{slip.rigidity[k]:.6e}"]))
    return "\n".join(lines) + "\n"


def gmt(slip: SlipPatches) -> str:
    """Returns GMT multi-segment polygons: -Z is the slip, behind # strike slip, dip slip and 0 of opening; corners are
    longitude, latitude, depth in km. `kaname` and csi read it as a slip model."""
    rake = np.radians(slip.rake_deg)
    lines = []
    for k in range(len(slip.patch)):
        parts = f"{slip.slip_m[k] * np.cos(rake[k]):.8f} {slip.slip_m[k] * np.sin(rake[k]):.8f} 0"
        lines.append(f"> -Z{slip.slip_m[k]:.8f} # {parts}")
        lines += [f"{a:.7f} {b:.7f} {1e-3 * c:.6f}" for a, b, c in zip(*slip.rectangle(k).corners())]
    return "\n".join(lines) + "\n"


def kml(slip: SlipPatches, title: str) -> str:
    """Returns KML: a polygon for each patch in a colour of sixteen by its slip, with its numbers."""
    import matplotlib

    colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 1.0, _COLOURS))
    largest = float(slip.slip_m.max()) or 1.0
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<kml xmlns="http://www.opengis.net/kml/2.2">', "<Document>",
             f"<name>{escape(title)}</name>"]
    for number, (r, g, b, _) in enumerate((np.round(255 * c).astype(int) for c in colours)):
        lines.append(f'<Style id="s{number}"><LineStyle><color>ff303030</color><width>0.5</width></LineStyle>'
                     f"<PolyStyle><color>c0{b:02x}{g:02x}{r:02x}</color></PolyStyle></Style>")
    for k, patch in enumerate(slip.patch):
        style = min(_COLOURS - 1, int(slip.slip_m[k] / largest * _COLOURS))
        lon, lat, _ = slip.rectangle(k).corners()
        ring = " ".join(f"{a:.6f},{b:.6f},0" for a, b in zip(np.r_[lon, lon[0]], np.r_[lat, lat[0]]))
        facts = (f"slip {slip.slip_m[k]:.4g} m, rake {slip.rake_deg[k]:.1f}, strike {slip.strike_deg[k]:.1f}, dip "
                 f"{slip.dip_deg[k]:.1f}, depth {1e-3 * slip.depth_m[k]:.4g} km")
        lines.append(f"<Placemark><name>{escape(patch)}</name><description>{facts}</description>"
                     f"<styleUrl>#s{style}</styleUrl><Polygon><outerBoundaryIs><LinearRing><coordinates>{ring}"
                     "</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>")
    return "\n".join([*lines, "</Document>", "</kml>"]) + "\n"
