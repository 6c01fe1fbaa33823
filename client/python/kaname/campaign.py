# SPDX-License-Identifier: BSD-3-Clause
"""Downloaded campaigns: an index over the datasets of many members."""
from __future__ import annotations

import os
import pathlib
from typing import Any

from .errors import Error
from .plotting.self_contained import open_file


def open_campaign(folder: str | os.PathLike[str]) -> Any:
    """The index that ``kaname campaign download`` wrote to ``folder``, an xarray.Dataset.

    Its first dimensions are what varies; ``greens`` is read from the members' files when it is
    indexed. Needs xarray and netCDF4. Raises NotFound;
    InvalidArgument where it leads to files outside its folder.
    """
    index = pathlib.Path(folder) / "index.nc"
    if not index.is_file():
        raise Error("NotFound", f"{index}: there is no index; kaname campaign download makes it")
    import xarray  # pylint: disable=import-outside-toplevel
    try:
        open_file(index, members_in=index.parent).close()
    except (OSError, ValueError) as error:
        raise Error("InvalidArgument", f"{index}: must be a campaign's index: {error}") from error
    return xarray.open_dataset(index, engine="netcdf4")
