# SPDX-License-Identifier: BSD-3-Clause
"""A dataset as xarray has it, its Green's functions or seismograms read when they are indexed."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from ._greens import AXES, Greens
from .errors import need

if TYPE_CHECKING:
    from .dataset import Dataset
    from .seismograms import Seismograms

# _INTERNAL names the attributes that HDF5 and netCDF-4 keep for themselves.
_INTERNAL = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid",
             "_Netcdf4Coordinates", "_nc3_strict", "_FillValue")


def _lazy(values: Any) -> Any:
    """What xarray indexes: Greens orthogonally, h5py's datasets by slices alone."""
    from xarray.backends import BackendArray
    from xarray.core import indexing

    support = (indexing.IndexingSupport.OUTER if isinstance(values, Greens)
               else indexing.IndexingSupport.BASIC)

    class LazyValues(BackendArray):  # type: ignore[misc]
        shape, dtype = values.shape, values.dtype

        def __getitem__(self, key: Any) -> Any:
            return indexing.explicit_indexing_adapter(key, self.shape, support,
                                                      lambda k: values[k])

    return indexing.LazilyIndexedArray(LazyValues())


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


def _dataset_of(data: Dataset | Seismograms, name: str, axes: tuple[str, ...],
                values: Any) -> Any:
    """Coordinates are the axes; everything else of the root that has an axis is a variable, and
    what has none. ``values`` of the variable ``name`` are read when they are indexed."""
    xarray = need("xarray", "python3-xarray", "to_xarray")
    file = data.file
    variables: dict[str, Any] = {}
    for key, item in file.items():
        if not isinstance(item, h5py.Dataset) or key == name:
            continue
        dims = (key,) if key in axes else _dimensions(item)
        variables[key] = (dims, _values(item), _attributes(item))
    variables[name] = (axes, _lazy(values), _attributes(file[name]))
    coordinates = {key: variables.pop(key) for key in list(variables)
                   if variables[key][0] == (key,)}
    result = xarray.Dataset(
        {key: xarray.Variable(*parts) for key, parts in variables.items()},
        {key: xarray.Variable(*parts) for key, parts in coordinates.items()}, _attributes(file))
    result.set_close(data.close)
    return result


def to_xarray(dataset: Dataset) -> Any:
    """Also ``crs``, which has no axis."""
    return _dataset_of(dataset, "greens", AXES, dataset.greens)


def waves_to_xarray(data: Seismograms) -> Any:
    return _dataset_of(data, "seismograms", ("source", "receiver", "component", "time"),
                       data.seismograms)
