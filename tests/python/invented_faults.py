# SPDX-License-Identifier: BSD-3-Clause
"""Faults that nobody has seen, written as other programs write theirs, by the public documentation of the formats and
not by code of the package."""
import json

import netCDF4
import numpy as np

LON, LAT = 142.0, 38.0
M_PER_DEG_LAT = 110_996.0  # near 38 degrees north, on the ellipsoid of WGS84
M_PER_DEG_LON = 87_832.0


def geojson(path, *features):
    """Each feature is (lines, properties); one line is a LineString."""
    made = []
    for lines, properties in features:
        several = len(lines) > 1
        made.append({"type": "Feature", "properties": properties, "geometry": {
            "type": "MultiLineString" if several else "LineString", "coordinates": lines if several else lines[0]}})
    path.write_text(json.dumps({"type": "FeatureCollection", "features": made}))
    return path


def gem(**more):
    """Properties as GEM's database has them."""
    return {"catalog_id": "XX_001", "catalog_name": "made up", "name": "Long Valley Fault", "slip_type": "Reverse",
            "average_dip": "(30,20,45)", "average_rake": "(90,,)", "dip_dir": "W", "upper_seis_depth": "(2,0,5)",
            "lower_seis_depth": "(12,10,15)", "net_slip_rate": "(1.5,1,2)", **more}


def tilted(strike_deg, dip_deg, length_m, width_m, top_m, bend=0.0, n=6):
    """Returns points [n * n][x east, y north, depth] and triangles; ``bend`` m is how far the middle sags."""
    along, down = np.meshgrid(np.linspace(-0.5, 0.5, n) * length_m, np.linspace(0.0, 1.0, n), indexing="ij")
    strike, dip = np.radians(strike_deg), np.radians(dip_deg)
    across = down * width_m * np.cos(dip)
    depth = top_m + down * width_m * np.sin(dip) + bend * 4.0 * down * (1.0 - down)
    points = np.stack([along * np.sin(strike) + across * np.cos(strike),
                       along * np.cos(strike) - across * np.sin(strike), depth], axis=-1).reshape(-1, 3)
    cells = []
    for i in range(n - 1):
        for j in range(n - 1):
            a = i * n + j
            cells += [(a, a + 1, a + n), (a + 1, a + n + 1, a + n)]
    return points, np.array(cells)


def degrees(points):
    """Returns longitude, latitude [degrees] and depth [km]."""
    return np.column_stack([LON + points[:, 0] / M_PER_DEG_LON, LAT + points[:, 1] / M_PER_DEG_LAT, 1e-3 * points[:, 2]])


def csi(path, points, cells):
    """Writes GMT multi-segment lines, a triangle each."""
    text = ""
    for k, cell in enumerate(cells):
        text += f"> -Z{0.1 * k:f}  # {0.1 * k:f} 0.0 0.0\n"
        text += "".join(f"{lon:.8f} {lat:.8f} {depth:.5f}\n" for lon, lat, depth in degrees(points)[cell])
    path.write_text(text)
    return path


def tsurf(path, points, cells, positive="Elevation"):
    """Writes GOCAD's TSurf with places as given."""
    lines = ["GOCAD TSurf 1", "HEADER {", "name:made up", "}", "GOCAD_ORIGINAL_COORDINATE_SYSTEM", "NAME Default",
             'AXIS_NAME "X" "Y" "Z"', 'AXIS_UNIT "m" "m" "m"', f"ZPOSITIVE {positive}",
             "END_ORIGINAL_COORDINATE_SYSTEM", "TFACE"]
    sign = -1.0 if positive == "Elevation" else 1.0
    lines += [f"VRTX {k + 1} {x:.7f} {y:.7f} {sign * z:.3f}" for k, (x, y, z) in enumerate(points)]
    lines += [f"TRGL {a + 1} {b + 1} {c + 1}" for a, b, c in cells]
    path.write_text("\n".join([*lines, "END", ""]))
    return path


def msh(path, points, cells):
    """Writes Gmsh's MSH 2.2 as text; z is up, in km."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{k + 1} {x:.9f} {y:.9f} {-z:.6f}" for k, (x, y, z) in enumerate(degrees(points))]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{k + 1} 2 2 1 1 {a + 1} {b + 1} {c + 1}" for k, (a, b, c) in enumerate(cells)]
    path.write_text("\n".join([*lines, "$EndElements", ""]))
    return path


def tensor(strike_deg, dip_deg, rake_deg, moment):
    """Returns Mrr Mtt Mpp Mrt Mrp Mtp of a double couple (Aki and Richards 2002, box 4.4: x north, y east, z down)."""
    s, d, r = np.radians([strike_deg, dip_deg, rake_deg])
    xx = -(np.sin(d) * np.cos(r) * np.sin(2 * s) + np.sin(2 * d) * np.sin(r) * np.sin(s) ** 2)
    xy = np.sin(d) * np.cos(r) * np.cos(2 * s) + 0.5 * np.sin(2 * d) * np.sin(r) * np.sin(2 * s)
    xz = -(np.cos(d) * np.cos(r) * np.cos(s) + np.cos(2 * d) * np.sin(r) * np.sin(s))
    yy = np.sin(d) * np.cos(r) * np.sin(2 * s) - np.sin(2 * d) * np.sin(r) * np.cos(s) ** 2
    yz = -(np.cos(d) * np.cos(r) * np.sin(s) - np.cos(2 * d) * np.sin(r) * np.cos(s))
    zz = np.sin(2 * d) * np.sin(r)
    # r = -z, t = -x, p = y
    return moment * np.array([zz, xx, yy, xz, -yz, -xy])


def ndk(path, *events):
    """Each event is (name, time, lon, lat, depth km, six numbers in N m)."""
    text = ""
    for name, time, lon, lat, depth, parts in events:
        exponent = int(np.floor(np.log10(np.abs(parts).max() * 1e7)))
        day, clock = time.split("T")
        text += f"PDEW {day.replace('-', '/')} {clock:10s} {lat:6.2f} {lon:7.2f} {depth:5.1f} 6.1 6.2 MADE UP SEA\n"
        text += f"{name:16s} B: 20   26  40 S:  0    0   0 M: 75  120 125 CMT: 1 TRIHD:  4.2\n"
        text += (f"CENTROID:     10.2 0.1  {lat:6.2f} 0.01  {lon:7.2f} 0.01  {depth:5.1f}  0.5 FREE S-20100101000000\n")
        text += f"{exponent} " + " ".join(f"{v / 10.0**(exponent - 7):7.4f} 0.010" for v in parts) + "\n"
        text += "V10   1.2 80 100  -0.1  2 201  -1.1 10 291   1.100 200  10   90  20  80   90\n"
    path.write_text(text)
    return path


def quakeml(path, name, time, lon, lat, depth, parts):
    keys = ("Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp")
    values = "".join(f"<{k}><value>{v:.6e}</value></{k}>" for k, v in zip(keys, parts))
    path.write_text(f"""<?xml version="1.0" encoding="UTF-8"?>
<q:quakeml xmlns="http://quakeml.org/xmlns/bed/1.2" xmlns:q="http://quakeml.org/xmlns/quakeml/1.2">
 <eventParameters publicID="smi:local/made-up">
  <event publicID="smi:local/event/{name}">
   <preferredOriginID>smi:local/o1</preferredOriginID>
   <preferredFocalMechanismID>smi:local/f2</preferredFocalMechanismID>
   <origin publicID="smi:local/o1"><time><value>{time}Z</value></time>
    <latitude><value>0</value></latitude><longitude><value>0</value></longitude><depth><value>1000</value></depth></origin>
   <origin publicID="smi:local/o2"><time><value>{time}Z</value></time><latitude><value>{lat}</value></latitude>
    <longitude><value>{lon}</value></longitude><depth><value>{1e3 * depth}</value></depth></origin>
   <focalMechanism publicID="smi:local/f1"/>
   <focalMechanism publicID="smi:local/f2"><momentTensor publicID="smi:local/m">
    <derivedOriginID>smi:local/o2</derivedOriginID><tensor>{values}</tensor>
    <sourceTimeFunction><type>triangle</type><duration>8.4</duration></sourceTimeFunction></momentTensor></focalMechanism>
  </event>
 </eventParameters>
</q:quakeml>
""")
    return path


def slab2(folder, strike_deg=20.0, dip_deg=20.0, prefix="xyz", n=(81, 61)):
    """Writes PREFIX_slab2_dep_01.01.20.grd with strike and dip: depth in km, negative, longitudes to 360, no data where
    it is shallower than 8 km or deeper than 90. The interface is a plane."""
    lat, lon = LAT + 0.05 * (np.arange(n[0]) - n[0] // 2), LON + 0.05 * (np.arange(n[1]) - n[1] // 2)
    east, north = np.meshgrid((lon - LON) * M_PER_DEG_LON, (lat - LAT) * M_PER_DEG_LAT)
    strike = np.radians(strike_deg)
    across = 1e-3 * (east * np.cos(strike) - north * np.sin(strike))
    depth = 30.0 + across * np.tan(np.radians(dip_deg))
    there = (depth >= 8.0) & (depth <= 90.0)
    for word, values in (("dep", -depth), ("str", np.full_like(depth, strike_deg)), ("dip", np.full_like(depth, dip_deg))):
        with netCDF4.Dataset(folder / f"{prefix}_slab2_{word}_01.01.20.grd", "w", format="NETCDF4") as file:
            file.Conventions, file.GMT_version = "CF-1.7", "5.4.3"
            for name, axis in (("x", lon % 360.0), ("y", lat)):
                file.createDimension(name, axis.size)
                file.createVariable(name, "f8", (name,))[:] = axis
            z = file.createVariable("z", "f4", ("y", "x"), fill_value=np.float32(np.nan))
            z[:] = np.where(there, values, np.nan)
    return folder / f"{prefix}_slab2_dep_01.01.20.grd"
