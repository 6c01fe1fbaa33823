# SPDX-License-Identifier: BSD-3-Clause
"""A dataset as xarray has it, its Green's functions read when they are indexed."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from ._greens import AXES, Greens
from .errors import need

if TYPE_CHECKING:
    from .dataset import Dataset

# What HDF5 and netCDF-4 keep in attributes for themselves.
_INTERNAL = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid",
             "_Netcdf4Coordinates", "_nc3_strict", "_FillValue")


def _lazy(greens: Greens) -> Any:
    """What xarray indexes: orthogonally, in its own words."""
    from xarray.backends import BackendArray
    from xarray.core import indexing

    class LazyGreens(BackendArray):  # type: ignore[misc]
        shape, dtype = greens.shape, greens.dtype

        def __getitem__(self, key: Any) -> Any:
            return indexing.explicit_indexing_adapter(
                key, self.shape, indexing.IndexingSupport.OUTER, lambda k: greens[k])

    return indexing.LazilyIndexedArray(LazyGreens())


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _attributes(item: Any) -> dict[str, Any]:
    return {key: _text(value) for key, value in item.attrs.items() if key not in _INTERNAL}


def _dimensions(variable: Any) -> tuple[str, ...]:
    """Names of its scales; of a scale its own."""
    name = variable.name.removeprefix("/")
    if variable.attrs.get("CLASS") == b"DIMENSION_SCALE" and variable.ndim == 1:
        return (name,)
    scales = [axis[0].name.removeprefix("/") if len(axis) else "" for axis in variable.dims]
    return tuple(scale or f"{name}_{k}" for k, scale in enumerate(scales))


def _values(variable: Any) -> Any:
    values = variable[...]
    if h5py.check_string_dtype(variable.dtype) is None:
        return values
    decode = np.vectorize(_text, otypes=[object])
    return decode(values) if values.size else values


def to_xarray(dataset: Dataset) -> Any:
    """Coordinates are the axes; everything else that has an axis, and ``crs``, is a variable."""
    xarray = need("xarray", "python3-xarray", "to_xarray")
    file = dataset.file
    variables: dict[str, Any] = {}
    for name, item in file.items():
        if not isinstance(item, h5py.Dataset) or name == "greens":
            continue
        dims = AXES[AXES.index(name):][:1] if name in AXES else _dimensions(item)
        variables[name] = (dims, _values(item), _attributes(item))
    greens = file["greens"]
    variables["greens"] = (AXES, _lazy(dataset.greens), _attributes(greens))
    coordinates = {name: variables.pop(name) for name in list(variables)
                   if variables[name][0] == (name,)}
    attributes = {key: _text(value) for key, value in file.attrs.items() if key not in _INTERNAL}
    result = xarray.Dataset(
        {name: xarray.Variable(*parts) for name, parts in variables.items()},
        {name: xarray.Variable(*parts) for name, parts in coordinates.items()}, attributes)
    result.set_close(dataset.close)
    return result
