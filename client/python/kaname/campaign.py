# SPDX-License-Identifier: BSD-3-Clause
"""Downloaded campaigns: an index over the datasets of many members."""
from __future__ import annotations

import os
import pathlib
from typing import Any

from .errors import Error


def open_campaign(folder: str | os.PathLike[str]) -> Any:
    """The index that ``kaname campaign download`` wrote to ``folder``, an xarray.Dataset.

    Its first dimensions are what varies; ``greens`` is read from the members' files when it is
    indexed. Needs xarray and netCDF4. Raises NotFound.
    """
    index = pathlib.Path(folder) / "index.nc"
    if not index.is_file():
        raise Error("NotFound", f"{index}: there is no index; kaname campaign download makes it")
    import xarray  # pylint: disable=import-outside-toplevel
    return xarray.open_dataset(index, engine="netcdf4")
