# SPDX-License-Identifier: BSD-3-Clause
"""Opens the dataset of greens_dataset_test.cpp as a user would; exit 77 without xarray."""
import pathlib
import sys

try:
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(error)
    sys.exit(77)

engines = ["netcdf4"]
try:
    import h5netcdf  # noqa: F401

    engines.append("h5netcdf")
except ImportError:
    pass

for engine in engines:
    with xr.open_dataset(sys.argv[1], engine=engine) as ds:
        greens = ds["greens"]
        assert greens.dims == ("source", "epoch", "station", "component"), greens.dims
        assert greens.shape == (2, 3, 4, 3), greens.shape
        assert list(ds["component"].values) == ["east", "north", "up"]
        assert list(ds["source"].values) == ["s00d00/strike_slip", "s00d00/dip_slip"]
        assert ds["epoch"].dtype == np.float64, ds["epoch"].dtype
        assert ds["epoch"].attrs["units"] == "s"
        assert greens.attrs["units"] == "m m-1"
        for name in ("patch_id", "slip_component", "rake", "patch_depth", "station_lon"):
            assert name in greens.coords, (name, list(greens.coords))
        value = greens.sel(source="s00d00/dip_slip", station="M.B", component="up")
        assert value.dims == ("epoch",)
        np.testing.assert_array_equal(value, [1012.0, 1112.0, 1212.0])
        assert np.isnan(greens.sel(source="s00d00/strike_slip")).all()
        assert list(ds["status"].attrs["flag_values"]) == [0, 1, 2]
        assert ds["status"].attrs["flag_meanings"] == "missing done failed"
        crs = greens.encoding.get("grid_mapping", greens.attrs.get("grid_mapping"))
        assert crs == "crs: patch_x patch_y", crs
        assert ds["crs"].attrs["crs_wkt"].startswith("PROJCRS")
        assert ds["residual"].dims == ("source", "step")
        assert ds["outline_lon"].dims == ("source", "corner")
        assert ds.attrs["Conventions"] == "CF-1.10"
        assert ds.attrs["specification"] == '{"name":"tiny"}'
        assert ds.attrs["tolerance"] == 1e-8
        assert ds["failure"].values[0] == "no convergence"
        str(ds)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "e2e"))
import cf_rules  # noqa: E402

faults = cf_rules.faults(sys.argv[1])
assert not faults, "\n".join(faults)
