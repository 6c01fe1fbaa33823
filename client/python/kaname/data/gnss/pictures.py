# SPDX-License-Identifier: BSD-3-Clause
"""A station's series with its trajectory, and what is left of it."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import need
from .fitting import Fit
from .series import COMPONENTS, years

# Okabe and Ito's colours, which colour-blind readers tell apart.
_BLUE, _RED, _GREY = "#0072b2", "#d55e00", "#777777"


def picture(fit: Fit) -> Any:
    """A matplotlib Figure: rows east, north, up; left the series and the fit without its rate, right
    the residual. Orange lines are earthquakes, grey ones changes of equipment."""
    figure_class = need("matplotlib.figure", "python3-matplotlib", "a picture of a series").Figure
    figure = figure_class(figsize=(10.5, 6.2), constrained_layout=True)
    axes = figure.subplots(3, 2, sharex=True)
    year, used = fit.series.year, fit.used
    rate = fit.value[fit.terms.names.index("rate")]
    slope = (year - year.mean())[:, None] * rate
    for c, name in enumerate(COMPONENTS):
        for one, values in zip(axes[c], (fit.series.position_m - slope, fit.residual_m)):
            middle = np.median(values[used, c])
            one.plot(year[used], 1e3 * (values[used, c] - middle), ".", ms=1.5, color=_BLUE, rasterized=True)
            size = 1e3 * np.abs(values[used, c] - middle).max() * 1.1 + 1e-3
            out = 1e3 * (values[~used, c] - middle)
            one.plot(year[~used], np.clip(out, -size, size), "x", ms=3, color=_GREY)
            one.set_ylim(-size, size)
            for jump in fit.terms.jumps:
                one.axvline(float(years(np.array(jump.day))), color=_RED if jump.earthquake else _GREY, lw=0.8)
        middle = np.median((fit.series.position_m - slope)[used, c])
        axes[c, 0].plot(year, 1e3 * (fit.model_m[:, c] - slope[:, c] - middle), color=_RED, lw=1.0)
        row = fit.terms.names.index("rate")
        axes[c, 0].set_ylabel(f"{name} [mm]")
        axes[c, 0].set_title(f"less {1e3 * rate[c]:.2f} ± {1e3 * fit.sigma[row, c]:.2f} mm/year", loc="left", fontsize=9)
        noise = fit.noise[c]
        axes[c, 1].set_title(f"residual; spectral index {noise['spectral_index']:g}", loc="left", fontsize=9)
    for one in axes[2]:
        one.set_xlabel("year")
    figure.suptitle(fit.series.station, fontsize=10)
    return figure
