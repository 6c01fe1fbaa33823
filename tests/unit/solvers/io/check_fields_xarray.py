# SPDX-License-Identifier: BSD-3-Clause
"""Opens the groups of field_groups_test.cpp as a user would; exit 77 without xarray."""
import pathlib
import sys

try:
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(error)
    sys.exit(77)

with xr.open_dataset(sys.argv[1], group="surface", engine="netcdf4") as ds:
    displacement = ds["displacement"]
    assert displacement.dims == ("epoch", "point", "component"), displacement.dims
    assert displacement.dtype == np.float32, displacement.dtype
    assert displacement.attrs["units"] == "m"
    assert list(ds["component"].values) == ["east", "north", "up"]
    assert float(displacement.sel(epoch=1e6, point=4, component="up")) == 142.0
    assert ds["epoch"].attrs["units"] == "s"
    assert ds["faces"].dims == ("face", "corner")
    assert ds["lon"].attrs["units"] == "degrees_east"
with xr.open_dataset(sys.argv[1], group="volume", engine="netcdf4") as ds:
    stress = ds["stress"]
    assert stress.dims == ("epoch", "tet", "component"), stress.dims
    assert stress.attrs["units"] == "Pa"
    assert float(stress.sel(epoch=3e7, tet=1, component="yz")) == 114.0
    assert ds["displacement"].dims == ("epoch", "point", "axis")
    assert list(ds["material_name"].values[ds["material"].values]) == ["mantle", "crust"]
with xr.open_dataset(sys.argv[1], group="volume/receiver/dam", engine="netcdf4") as ds:
    assert ds["coulomb"].dims == ("epoch",), ds["coulomb"].dims
    assert ds["coulomb"].attrs["tet"] == 1
    np.testing.assert_array_equal(ds["coulomb"], [5.0, 6.0])

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "e2e"))
import cf_rules  # noqa: E402

# The file has groups alone: attributes of a whole one are not there.
faults = [line for line in cf_rules.faults(sys.argv[1]) if not line.startswith("2.6")]
assert not faults, "\n".join(faults)
