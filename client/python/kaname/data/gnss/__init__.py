# SPDX-License-Identifier: BSD-3-Clause
"""Series of GNSS stations: read from geodesists' files, fitted, and written as `invert` takes them.

>>> from kaname.data import gnss
>>> network = gnss.read("unr")            # a folder of .tenv3, .pos, ...
>>> network.series["P403"].position_m     # [epoch][east, north, up]
"""
from .reading import Network, read
from .series import Series, Velocities
from .unr import Step, read_steps

__all__ = ["Network", "Series", "Step", "Velocities", "read", "read_steps"]
