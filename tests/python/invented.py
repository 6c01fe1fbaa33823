# SPDX-License-Identifier: BSD-3-Clause
"""A dataset that nobody solved: an interface of 6 x 4 patches with both components."""
import h5py
import numpy as np

COLUMNS, ROWS, STATIONS, EPOCHS = 6, 4, 30, 3
YEAR_S = 365.25 * 86400.0
COMPONENTS = ("strike_slip", "dip_slip")


def stations():
    rng = np.random.default_rng(7)
    return 132.0 + 3.0 * rng.random(STATIONS), 31.5 + 2.5 * rng.random(STATIONS)


def grid():
    """Column, row and component of each source."""
    return np.meshgrid(np.arange(COLUMNS), np.arange(ROWS), np.arange(2), indexing="ij")


def greens(x, y, depth, lon, lat):
    """[source][epoch][station][3]: falls off from the patch, grows in time."""
    values = np.empty((x.size, EPOCHS, lon.size, 3))
    for s in range(x.size):
        east, north = (lon - x[s]) * 94.0, (lat - y[s]) * 111.0
        far = 25.0 + depth[s] / 1e3
        size = 0.5 * far**2 / (far**2 + east**2 + north**2) ** 1.5 * 30.0
        turn = s % 2
        motion = np.stack([size * np.cos(east / 90.0 + turn), size * np.sin(north / 120.0 + turn),
                           size * (0.6 - turn) * np.exp(-east**2 / 8e3)], axis=-1)
        for t in range(EPOCHS):
            values[s, t] = motion * (1.0 + 0.1 * t)
    return values


def write(path):
    """greens.h5 with the variables and dimensions of docs/user/dataset.md."""
    column, row, part = grid()
    column, row, part = (v.ravel() for v in (column, row, part))
    n = column.size
    x, y = 132.5 + 0.3 * column, 33.0 - 0.2 * row + 0.05 * column
    depth = 8e3 + 6e3 * row + 500.0 * column
    lon, lat = stations()
    index = {(c, r, p): i for i, (c, r, p) in enumerate(zip(column, row, part))}
    beside = [[index.get((c - 1, r, p), -1), index.get((c + 1, r, p), -1),
               index.get((c, r - 1, p), -1), index.get((c, r + 1, p), -1)]
              for c, r, p in zip(column, row, part)]
    corners = np.array([(-0.15, 0.1), (0.15, 0.1), (0.15, -0.1), (-0.15, -0.1)])
    with h5py.File(path, "w") as file:
        axes = {"source": [f"s{c:02d}d{r:02d}/{COMPONENTS[p]}" for c, r, p in
                           zip(column, row, part)],
                "epoch": np.arange(EPOCHS) * YEAR_S, "component": ["east", "north", "up"],
                "station": [f"S{k:03d}" for k in range(STATIONS)],
                "step_time": np.arange(EPOCHS) * YEAR_S,
                "corner": np.arange(4), "neighbour": np.arange(4)}
        for name, values in axes.items():
            file[name] = values
            file[name].make_scale(name)
        variables = {
            "patch_id": (["source"], [f"s{c:02d}d{r:02d}" for c, r in zip(column, row)]),
            "slip_component": (["source"], [COMPONENTS[p] for p in part]),
            "status": (["source"], np.ones(n, dtype=np.int8)),
            "failure": (["source"], [""] * n),
            "patch_lon": (["source"], x), "patch_lat": (["source"], y),
            "patch_depth": (["source"], depth), "patch_x": (["source"], (x - 133.2) * 94e3),
            "patch_y": (["source"], (y - 32.7) * 111e3), "patch_z": (["source"], -depth),
            "outline_x": (["source", "corner"], (x[:, None] + corners[:, 0] - 133.2) * 94e3),
            "outline_y": (["source", "corner"], (y[:, None] + corners[:, 1] - 32.7) * 111e3),
            "outline_lon": (["source", "corner"], x[:, None] + corners[:, 0]),
            "outline_lat": (["source", "corner"], y[:, None] + corners[:, 1]),
            "outline_depth": (["source", "corner"], np.repeat(depth[:, None], 4, axis=1)),
            "strike": (["source"], np.full(n, 80.0)), "dip": (["source"], np.full(n, 15.0)),
            "rake": (["source"], 90.0 * part),
            "potency": (["source"], np.full(n, 6e8)),
            "rigidity": (["source"], np.full(n, 4e10)), "grid_row": (["source"], row),
            "grid_column": (["source"], column), "neighbours": (["source", "neighbour"], beside),
            "station_lon": (["station"], lon), "station_lat": (["station"], lat),
            "station_depth": (["station"], np.zeros(STATIONS)),
            "snapped_lon": (["station"], lon), "snapped_lat": (["station"], lat),
            "snapped_depth": (["station"], np.zeros(STATIONS)),
            "hat": (["source"], np.ones(n, dtype=np.int8))}
        for name, size in (("length", 28e3), ("width", 22e3), ("area", 6e8)):
            for of in ("patch", "slip"):
                variables[f"{of}_{name}"] = (["source"], np.full(n, size))
        for name, kind in (("iterations", "i4"), ("residual", "f8"), ("initial_residual", "f8")):
            variables[name] = (["source", "step_time"], np.zeros((n, EPOCHS), kind))
        values = greens(x, y, depth, lon, lat)
        variables["greens"] = (["source", "epoch", "station", "component"], values)
        for name, (dims, content) in variables.items():
            file[name] = content
            for axis, dim in enumerate(dims):
                file[name].dims[axis].attach_scale(file[dim])
        file["crs"] = 0
        file["crs"].attrs["crs_wkt"] = "none"
        for name in ("kaname_version", "mesh_sha256", "material_sha256"):
            file.attrs[name] = ""
        file.attrs.update({"name": "invented", "title": "invented", "unit": "m per m of slip",
                           "slip_history": "step", "tolerance": 1e-8, "dof": np.int64(99),
                           "specification": '{"name": "invented"}'})
    return values


def write_waves(path):
    """seismograms.h5 with the variables and dimensions of docs/user/waves.md: two sources, the
    second not done, three receivers, 50 samples, snapshots of 2 x 3 x 4 nodes."""
    rng = np.random.default_rng(11)
    values = rng.standard_normal((2, 3, 3, 50)).astype(np.float32)
    frames = rng.standard_normal((2, 2, 2, 3, 4, 3)).astype(np.float32)
    values[1], frames[1] = np.nan, np.nan
    x, z = np.arange(4) + 0.5, np.arange(2) + 0.5
    with h5py.File(path, "w") as file:
        def fill(group, axes, variables):
            for name, content in axes.items():
                group[name] = content
                group[name].make_scale(name)
            for name, (dims, content) in variables.items():
                group[name] = content
                for axis, dim in enumerate(dims):
                    group[name].dims[axis].attach_scale(group[dim] if dim in group else file[dim])

        fill(file, {"source": ["knock", "late"], "receiver": ["P1", "P2", "P3"],
                    "component": ["x", "y", "z"], "time": 1e-6 * np.arange(50),
                    "tensor": ["xx", "yy", "zz", "yz", "xz", "xy"],
                    "section_x": x, "section_z": z, "warning": ["few voxels"]}, {
            **{f"source_{axis}": (["source"], np.array([1.0, 2.0]) + k)
               for k, axis in enumerate("xyz")},
            **{f"receiver_{axis}": (["receiver"], np.array([1.0, 2.0, 4.0]) - k)
               for k, axis in enumerate("xyz")},
            "force": (["source", "component"], np.eye(2, 3)),
            "moment": (["source", "tensor"], np.zeros((2, 6))),
            "source_function": (["source", "time"], np.ones((2, 50))),
            "highest_frequency": (["source"], np.array([4e4, 5e4])),
            "status": (["source"], np.array([1, 0], dtype=np.int8)),
            "failure": (["source"], ["", "has no result"]),
            "section_vp": (["section_z", "section_x"], np.array([[4e3] * 4, [5e3] * 4])),
            "seismograms": (["source", "receiver", "component", "time"], values)})
        fill(file.create_group("snapshots"), {"snapshot": np.array([1e-5, 2e-5]), "x": np.arange(4.0),
                                              "y": np.arange(3.0), "z": np.arange(2.0)}, {
            "displacement": (["source", "snapshot", "z", "y", "x", "component"], frames)})
        file["seismograms"].attrs.update({"units": "m s-1", "long_name": "velocity"})
        corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        fill(file.create_group("ground"), {"point": np.arange(3), "triangle": np.arange(1),
                                           "corner": np.arange(3),
                                           "direction": ["horizontal", "vertical"]}, {
            "xyz": (["point", "component"], corners),
            "triangles": (["triangle", "corner"], np.array([[0, 1, 2]], dtype=np.int32)),
            "peak_velocity": (["source", "triangle", "direction"],
                              np.array([[[0.5, 0.25]], [[np.nan] * 2]]))})
        file.attrs.update({"kind": "seismograms", "name": "invented", "title": "invented waves",
                           "step": 1e-7, "voxel_size": 1.0, "points_per_wavelength": 5.0,
                           "kaname_version": "", "specification": '{"name": "invented"}'})
    return values, frames


def true_slip():
    """[source] m: thrust in the middle."""
    column, row, part = grid()
    bump = 3.0 * np.exp(-((column - 2.5) ** 2 + (row - 1.5) ** 2) / 3.0)
    return np.where(part == 1, bump, 0.2 * bump).ravel()


def write_offsets(path, values, sigma_mm=2.0):
    """offsets.csv of the docs: true_slip and noise of two millimetres, in mm."""
    rng = np.random.default_rng(3)
    lon, lat = stations()
    motion = 1e3 * np.tensordot(true_slip(), values[:, 0], 1)
    motion += sigma_mm * rng.standard_normal(motion.shape)
    with open(path, "w", encoding="utf-8") as file:
        file.write("station,lon_deg,lat_deg,east_mm,north_mm,up_mm,sigma_east_mm,sigma_north_mm,"
                   "sigma_up_mm\n")
        for k in range(STATIONS):
            file.write(f"S{k:03d},{lon[k]:.5f},{lat[k]:.5f},"
                       + ",".join(f"{v:.4f}" for v in motion[k]) + f",{sigma_mm},{sigma_mm},"
                       f"{sigma_mm}\n")
