# SPDX-License-Identifier: BSD-3-Clause
"""Series of GNSS stations: read from geodesists' files, fitted, and written as `invert` takes them.

>>> from kaname.data import gnss
>>> network = gnss.read("unr")            # a folder of .tenv3, .pos, ...
>>> network.series["P403"].position_m     # [epoch][east, north, up]
>>> fits = gnss.fit(network, events=["2011-03-11"], law="log")
>>> fits["P403"].block("step_2011-03-11") # offset [m] and its covariance
"""
from . import tables
from .fitting import Fit, fit
from .reading import Network, read
from .series import Series, Velocities
from .unr import Step, read_steps

__all__ = ["Fit", "Network", "Series", "Step", "Velocities", "fit", "read", "read_steps", "tables"]
