# SPDX-License-Identifier: BSD-3-Clause
"""3-D models that nobody measured, written as other programs write theirs, by the public documentation of the formats
and not by code of the package. Speeds and density are linear in place, so that interpolation is exact."""
import struct

import h5py
import netCDF4
import numpy as np

LON, LAT = 142.0, 38.0
M_PER_DEG_LAT, M_PER_DEG_LON = 110_996.0, 87_832.0


def vp_at(lon, lat, depth_m):
    """Returns vp [m/s]; vs is vp / 1.8 and density [kg/m3] 1700 + vp / 5."""
    return 5800.0 + 100.0 * (lon - LON) - 60.0 * (lat - LAT) + 0.02 * depth_m


def emc(path, classic=False, lat_down=False, depths_km=(0.0, 5.0, 12.0, 25.0, 50.0, 100.0), only="vp vs rho", units="km.s-1",
        hole=None):
    """Writes EMC's netCDF [depth][latitude][longitude]; 99999 is missing."""
    lon, lat = LON + np.arange(-1.0, 1.01, 0.1), LAT + np.arange(-0.8, 0.81, 0.1)
    lat = lat[::-1] if lat_down else lat
    depth = np.array(depths_km)
    vp = vp_at(lon[None, None, :], lat[None, :, None], 1e3 * depth[:, None, None])
    values = {"vp": 1e-3 * vp, "vs": 1e-3 * vp / 1.8, "rho": 1700.0 + vp / 5.0}
    path.unlink(missing_ok=True)  # it may be open
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC" if classic else "NETCDF4") as file:
        for name, axis, unit in (("longitude", lon, "degrees_east"), ("latitude", lat, "degrees_north"), ("depth", depth, "km")):
            file.createDimension(name, axis.size)
            made = file.createVariable(name, "f8", (name,))
            made.units = unit
            made[:] = axis
        file["depth"].positive = "down"
        for name in only.split():
            made = file.createVariable(name, "f4", ("depth", "latitude", "longitude"))
            made.missing_value, made.units = np.float32(99999.0), "kg.m-3" if name == "rho" else units
            data = values[name].copy()
            if hole is not None:
                data[hole] = 99999.0
            made[:] = data
    return path


def huge(path, n=1000):
    """Writes a netCDF-4 model of n^3 nodes in chunks, of which those of a corner are stored and all others have the fill
    value: as an array it would take 3 x 4 n^3 bytes."""
    chunk = (10, 200, 200)
    with netCDF4.Dataset(path, "w") as file:
        for name, axis in (("longitude", LON + 0.002 * np.arange(n)), ("latitude", LAT + 0.002 * np.arange(n)),
                           ("depth", 0.1 * np.arange(n))):
            file.createDimension(name, axis.size)
            file.createVariable(name, "f8", (name,))[:] = axis
        lon, lat, depth = file["longitude"][:400], file["latitude"][:400], file["depth"][:10]
        vp = vp_at(lon[None, None, :], lat[None, :, None], 1e3 * depth[:, None, None]).astype(np.float32)
        for name, values, fill in (("vp", 1e-3 * vp, 6.0), ("vs", 1e-3 * vp / 1.8, 6.0 / 1.8), ("rho", 1700.0 + vp / 5, 2900.0)):
            made = file.createVariable(name, "f4", ("depth", "latitude", "longitude"), chunksizes=chunk, fill_value=False)
            made.units = "kg.m-3" if name == "rho" else "km.s-1"
        del made
    with h5py.File(path, "a") as file:  # unwritten chunks then have a value
        for name, values, fill in (("vp", 1e-3 * vp, 6.0), ("vs", 1e-3 * vp / 1.8, 6.0 / 1.8), ("rho", 1700.0 + vp / 5, 2900.0)):
            scales = [file[d] for d in ("depth", "latitude", "longitude")]
            del file[name]
            made = file.create_dataset(name, (n, n, n), np.float32, chunks=chunk, fillvalue=fill)
            made.attrs["units"] = "kg.m-3" if name == "rho" else "km.s-1"
            for axis, scale in enumerate(scales):
                made.dims[axis].attach_scale(scale)
            made[:10, :400, :400] = values
    return path


def turned(azimuth_deg, i, j, spacing):
    """Returns longitude and latitude of SW4's nodes: x points to the azimuth, y to its right."""
    a = np.radians(azimuth_deg)
    x, y = i * spacing, j * spacing
    return LON + (x * np.sin(a) + y * np.cos(a)) / M_PER_DEG_LON, LAT + (x * np.cos(a) - y * np.sin(a)) / M_PER_DEG_LAT


def rfile(path, azimuth_deg=30.0, precision=4, order="<", projection=""):
    """Writes an rfile: topography, a fine block to 10 km, a coarse one to 40 km; the air above 0 has -999."""
    blocks = [(1000.0, 1000.0, 0.0, (1, 31, 41, 1)), (1000.0, 500.0, -1000.0, (3, 31, 41, 23)), (2000.0, 2000.0, 10e3, (3, 16, 21, 16))]
    kind = f"{order}f{precision}"
    out = struct.pack(f"{order}iiidddi", 1, precision, 0, azimuth_deg, LON, LAT, len(projection)) + projection.encode()
    out += struct.pack(f"{order}i", len(blocks))
    for h, v, z, dims in blocks:
        out += struct.pack(f"{order}dddiiii", h, v, z, *dims)
    out += np.zeros((31, 41), dtype=kind).tobytes()
    for h, v, z, (_, ni, nj, nk) in blocks[1:]:
        i, j, k = np.meshgrid(np.arange(ni), np.arange(nj), np.arange(nk), indexing="ij")
        depth = z + v * k
        vp = vp_at(*turned(azimuth_deg, i, j, h), depth)
        data = np.stack([1700.0 + vp / 5.0, vp, vp / 1.8], axis=-1)
        data[depth < 0.0] = -999.0
        out += data.astype(kind).tobytes()
    path.write_bytes(out)
    return path


def sfile(path, azimuth_deg=0.0):
    """Writes an sfile: a grid between a slope (up to 300 m above sea level) and 8 km, another one down to 30 km."""
    with h5py.File(path, "w") as file:
        file.attrs["Origin longitude, latitude, azimuth"] = np.array([LON, LAT, azimuth_deg])
        file.attrs["ngrids"] = np.int32(2)
        file.attrs["Attenuation"] = np.int32(0)
        file.attrs["Min, max depth"] = np.array([-300.0, 30e3])
        top = -300.0 * np.arange(31)[:, None] / 30.0 * np.ones((1, 41))
        ends = [top, np.full((31, 41), 8e3), np.full((16, 21), 30e3)]
        for k, end in enumerate(ends):
            file[f"Z_interfaces/z_values_{k}"] = end.astype(np.float32)
        for number, (h, ni, nj, nk) in enumerate(((1000.0, 31, 41, 17), (2000.0, 16, 21, 12))):
            group = file.create_group(f"Material_model/grid_{number}")
            group.attrs["Horizontal grid size"], group.attrs["Number of components"] = h, np.int32(3)
            step = (31 - 1) // (ni - 1)
            upper, lower = ends[number][::step, ::step][:ni, :nj] if number == 0 else ends[1][::2, ::2], ends[number + 1]
            i, j, k = np.meshgrid(np.arange(ni), np.arange(nj), np.arange(nk), indexing="ij")
            depth = upper[..., None] + (lower - upper)[..., None] * k / (nk - 1)
            vp = vp_at(*turned(azimuth_deg, i, j, h), depth)
            for name, values in (("Rho", 1700.0 + vp / 5.0), ("Cp", vp), ("Cs", vp / 1.8)):
                group[name] = values.astype(np.float32)
    return path


def crust1(folder):
    """Writes crust1.bnds, .vp, .vs and .rho: the Moho's top is -30 km less a hundredth of the longitude."""
    lat, lon = 89.5 - np.arange(180), -179.5 + np.arange(360)
    x = np.tile(lon, 180)
    tops = np.stack([np.zeros_like(x), np.zeros_like(x), np.zeros_like(x), -1 + 0 * x, -1 + 0 * x, -1 + 0 * x, -10 + 0 * x,
                     -20 + 0 * x, -30 - 0.01 * x], axis=1)
    vp = np.tile([1.5, 3.81, 2.5, 0, 0, 6.1, 6.4, 6.8, 8.0], (64800, 1))
    vp[:, 5] += 0.001 * np.repeat(lat, 360)
    for name, values in (("bnds", tops), ("vp", vp), ("vs", np.where(vp > 2, vp / 1.75, 0)), ("rho", 1.0 + vp / 4)):
        rows, which = np.unique(np.round(values, 2), axis=0, return_inverse=True)  # few are different
        texts = [" ".join(f"{v:7.2f}" for v in row) for row in rows]
        lines = [texts[k] for k in which]
        (folder / f"crust1.{name}").write_text("\n".join(lines) + "\n")
    return folder / "crust1.bnds"
