# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of datasets and inversions. Each function gives matplotlib's Axes (or the Figure where
there are several); ``.figure.savefig(...)`` writes one.

Maps of datasets and their time series are those of `kaname plot`.
"""
from __future__ import annotations

import contextlib
from typing import Any, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .dataset import Dataset
from .errors import Error, invalid, need
from .inversion import DataSet, Inversion
from .seismograms import Seismograms

need("matplotlib", "python3-matplotlib", "plotting")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

from .plotting import ground  # noqa: E402
from .plotting.common import (GREY, INK, PlotError, beside, length_text,  # noqa: E402
                              middle_longitude, nice_below,
                              unit_for)
from .plotting.dataset import Dataset as _FileData  # noqa: E402
from .plotting.frame import LONGEST, Box  # noqa: E402
from .plotting.maps import draw_arrows, draw_maps  # noqa: E402
from .plotting.rupture import Rupture, draw_rupture  # noqa: E402
from .plotting.series import COLOURS, draw_series  # noqa: E402
from .plotting.slip import (PREDICTED as _PREDICTED, draw_patches, draw_slip_arrows,  # noqa: E402
                            hanging_wall_motion)
from .plotting.waves import Waves, draw_waves  # noqa: E402

Array = npt.NDArray[np.float64]
__all__ = ["cross_validation", "l_curve", "maps", "residuals", "rupture", "series", "slip",
           "vectors", "waves"]

_CODES = {2: "InvalidArgument", 3: "NotFound", 5: "Unavailable", 6: "Conflict"}
_VALUES = {"slip": ("slip", "YlOrRd"), "slip_sigma": ("standard deviation of slip", "viridis"),
           "resolution_diagonal": ("resolution", "viridis")}


class _Data(_FileData):  # type: ignore[misc]
    """A Dataset, of a file or over the wire, as the pictures read it."""

    def __init__(self, dataset: Dataset) -> None:  # pylint: disable=super-init-not-called
        self.path = dataset.name
        self._dataset = dataset
        self._read(dataset.file)

    def displacement(self, source: int) -> Any:
        return self._dataset.greens[source]

    def field(self, epoch: int) -> Any:
        return self._dataset.file["surface/displacement"][epoch]


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except PlotError as error:
        raise Error(_CODES.get(error.code, "Internal"), str(error)) from None


def maps(dataset: Dataset, source: str | None = None, epochs_years: Sequence[float] = (),
         width_km: float | None = None) -> Any:
    """Maps of a source: arrows horizontal motion, colours uplift.

    Parameters
    ----------
    dataset : Dataset
    source : str, optional
        Default: the done one closest to the stations, of a scenario the total.
    epochs_years : sequence of float, optional
        Default: the first, the last, and the change between them.
    width_km : float, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    with _errors():
        data = _Data(dataset)
        years = [float(epoch) for epoch in epochs_years]
        return draw_maps(data, data.choose_source(source), data.choose_epochs(years), not years, None, width_km)


def series(dataset: Dataset, stations: str | Sequence[str], source: str | None = None) -> Any:
    """East, north and up of stations (at most 12) over the epochs; a Figure."""
    names = [stations] if isinstance(stations, str) else list(stations)
    with _errors():
        data = _Data(dataset)
        return draw_series(data, data.choose_source(source), data.choose_stations(names))


def waves(data: Seismograms, source: str | None = None, component: str = "z") -> Any:
    """Seismograms of one source (default: the first that is done) along x, y or z by distance,
    beside a section of the model; a Figure."""
    with _errors():
        return draw_waves(Waves(data.file, data.name, source, component))


def rupture(data: Seismograms, component: str = "y") -> Any:
    """Slip and rupture times on the faults of a rupture.h5, slip rates at their receivers and
    seismograms along x, y or z; a Figure."""
    with _errors():
        return draw_rupture(Rupture(data.file, data.name, component))


def _map(axes: Any, lon: Array, lat: Array, size: tuple[float, float] = (7.5, 7.0)
         ) -> tuple[Any, Any]:
    """Axes with coastlines around the places."""
    frame = Box(lon, lat, True)
    if axes is None:
        _, axes = plt.subplots(figsize=size, constrained_layout=True)
    ground.draw_axes(axes, frame, True)
    coast = list(ground.coast_rings(frame))
    if coast:
        ground.draw_coast(axes, frame, coast, True)
    return axes, frame


def _middle(inversion: Inversion) -> float:
    """The longitude that those of a map count from: it has no seam at 180 degrees."""
    return float(middle_longitude(inversion.places["outline_lon"]))


def _outlines(inversion: Inversion) -> Array:
    return np.stack([beside(inversion.places["outline_lon"], _middle(inversion)),
                     inversion.places["outline_lat"]], axis=-1)


def _places(inversion: Inversion) -> tuple[Array, Array]:
    """Longitudes and latitudes of all patches and stations."""
    corners = _outlines(inversion).reshape(-1, 2)
    sets = inversion.data.values()
    return (np.concatenate([corners[:, 0], *(beside(s.lon, _middle(inversion)) for s in sets)]),
            np.concatenate([corners[:, 1], *(s.lat for s in sets)]))


def slip(inversion: Inversion, window: int | str = 0, value: str = "slip", ax: Any = None) -> Any:
    """Map of the patches.

    Parameters
    ----------
    inversion : Inversion
    window : int or str
        Place or name.
    value : {"slip", "slip_sigma", "resolution_diagonal"}
        Of patches with several components slip is the vector's size with its direction as an
        arrow (of the hanging wall, on the map), the others the mean of the components.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    if value not in _VALUES:
        invalid("value", f"must be one of {', '.join(_VALUES)}, got '{value}'")
    if isinstance(window, str):
        if window not in inversion.window:
            invalid("window", f"must be one of {', '.join(inversion.window)}, got '{window}'")
        window = inversion.window.index(window)
    axes, frame = _map(ax, *_places(inversion))
    first, amount, rake = inversion.slip_vectors(window)
    outlines = _outlines(inversion)[first]
    if value == "slip":
        values = amount
    else:
        of = _patch_of(inversion)
        values = np.bincount(of, getattr(inversion, value)[window]) / np.bincount(of)
    name, colours = _VALUES[value]
    unit = "" if value == "resolution_diagonal" else " [m]"
    draw_patches(axes, outlines, values, name + unit, colours)
    if value == "slip":
        lon, lat, strike, dip = (inversion.places[key][first]
                                 for key in ("patch_lon", "patch_lat", "strike", "dip"))
        draw_slip_arrows(axes, frame, beside(lon, _middle(inversion)), lat, hanging_wall_motion(amount, rake, strike, dip),
                         amount)
    axes.set_title(f"{inversion.window[window]}: Mw {inversion.moment_magnitude:.2f}", loc="left")
    return axes


def _patch_of(inversion: Inversion) -> npt.NDArray[np.int64]:
    names = [s.rsplit("/", 1)[0] for s in inversion.source]
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([order[name] for name in names])


def _set_of(inversion: Inversion, name: str | None) -> DataSet:
    if name is None:
        name = next(iter(inversion.data))
    if name not in inversion.data:
        raise Error("NotFound", f"no set '{name}'; there are {', '.join(inversion.data)}")
    return inversion.data[name]


def _vectors_of(rows: DataSet, values: Array, epoch: float | None
                ) -> tuple[Array, Array, Array, float]:
    """lon, lat [station], [station][east, north, up] at one epoch, 0 where not measured."""
    when = float(rows.epoch[-1]) if epoch is None else epoch
    index: dict[str, int] = {}
    here = np.flatnonzero(np.isclose(rows.epoch, when))
    if here.size == 0:
        known = ", ".join(f"{e:g}" for e in np.unique(rows.epoch)[:8])
        invalid("epoch", f"must be one of {known} s, got {when:g}")
    for row in here:
        index.setdefault(rows.station[row], len(index))
    motion, lon, lat = np.zeros((len(index), 3)), np.zeros(len(index)), np.zeros(len(index))
    for row in here:
        at = index[rows.station[row]]
        lon[at], lat[at] = rows.lon[row], rows.lat[row]
        component = rows.component[row]
        motion[at, ("east", "north", "up").index(component) if component != "los" else 2] = \
            values[row]
    return lon, lat, motion, when


def vectors(inversion: Inversion, data: str | None = None, epoch: float | None = None,
            vertical: bool = False, ax: Any = None) -> Any:
    """Observed and predicted motion of stations over the patches and the coast.

    Parameters
    ----------
    inversion : Inversion
    data : str, optional
        Name of a set; default: the first.
    epoch : float, optional
        s; default: the last row's.
    vertical : bool
        Vertical motion (or that towards a satellite) as arrows up and down in place of the
        horizontal.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    rows = _set_of(inversion, data)
    axes, frame = _map(ax, *_places(inversion))
    axes.add_collection(PolyCollection(_outlines(inversion), facecolors="none",
                                       edgecolors=ground.PATCH, linewidths=0.6, zorder=1.5))
    motions = []
    for values in (rows.observed, rows.predicted):
        lon, lat, motion, when = _vectors_of(rows, values, epoch)
        lon = beside(lon, _middle(inversion))
        motions.append(np.column_stack([np.zeros(len(lon)), motion[:, 2]]) if vertical
                       else motion[:, :2])
    longest = max(float(np.nanmax(np.hypot(*m.T), initial=0.0)) for m in motions) or 1.0
    scale = longest / (LONGEST * frame.width)
    axes.plot(lon, lat, "o", color=INK, markersize=2.5, zorder=3)
    for motion, colour, name in zip(motions, (INK, _PREDICTED), ("observed", "predicted")):
        arrows = draw_arrows(axes, lon, lat, motion, scale, colour, 0.0035, 4)
        arrows.set_label(name)
    key = nice_below(longest)
    axes.quiverkey(arrows, 0.8, 1.025, key, length_text(key), labelpos="E", color=INK)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=2, frameon=False,
                fontsize=9)  # below the map, where it covers no patch
    what = "vertical motion" if vertical else "horizontal motion"
    axes.set_title(f"{rows.name}: {what}", loc="left")
    return axes


def residuals(inversion: Inversion, data: str | None = None) -> Any:
    """A Figure: predicted against observed, and residuals over their standard deviations."""
    rows = _set_of(inversion, data)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.6), constrained_layout=True)
    factor, unit = unit_for(float(np.nanmax(np.abs(rows.observed), initial=0.0)))
    ratio = rows.residual / rows.sigma
    bins = np.linspace(-1.0, 1.0, 31) * max(3.0, float(np.nanmax(np.abs(ratio), initial=0.0)))
    for k, component in enumerate(dict.fromkeys(rows.component)):
        of = np.array([c == component for c in rows.component])
        left.errorbar(rows.observed[of] / factor, rows.predicted[of] / factor,
                      xerr=rows.sigma[of] / factor, fmt="o", markersize=3.5, linewidth=0.7,
                      color=COLOURS[k], label=component)
        right.hist(ratio[of], bins=bins, histtype="step", color=COLOURS[k], label=component)
    left.axline((0.0, 0.0), slope=1.0, color=GREY, linewidth=0.8)
    left.set(xlabel=f"observed [{unit}]", ylabel=f"predicted [{unit}]")
    right.set(xlabel="residual over standard deviation", ylabel="observations")
    left.legend(frameon=False)
    figure.suptitle(f"{rows.name}: {len(rows.station)} observations, rms "
                    f"{length_text(float(f'{rows.rms:.2g}'))}, mean square of normalised residuals "
                    f"{rows.chi2:.2f}")
    return figure


def _sparsity_lines(inversion: Inversion, axes: Any, x: Any, y: Array) -> None:
    choice = inversion.choice
    for j, sparsity in enumerate(choice.sparsity):
        known = np.isfinite(y[:, j])
        axes.plot(np.broadcast_to(x[..., None], y.shape)[known, j] if x.ndim == 1 else x[known, j],
                  y[known, j], "o-", markersize=3.5, linewidth=1.1, color=COLOURS[j % len(COLOURS)],
                  label=f"{sparsity:g}")
    if choice.sparsity.size > 1:
        axes.legend(title="sparsity", frameon=False)
    axes.grid(color="#dedbd3", linewidth=0.6)


def l_curve(inversion: Inversion, ax: Any = None) -> Any:
    """Misfit against roughness, a line per sparsity, with the weights that were chosen; Axes."""
    choice = inversion.choice
    axes = plt.subplots(figsize=(6.0, 4.6), constrained_layout=True)[1] if ax is None else ax
    _sparsity_lines(inversion, axes, choice.roughness, choice.misfit)
    at = choice.chosen
    axes.plot(choice.roughness[at], choice.misfit[at], "o", markersize=11, markerfacecolor="none",
              markeredgecolor=INK, label="_chosen")
    axes.set(xscale="log", yscale="log", xlabel=r"roughness $|L m|^2$",
             ylabel="misfit: mean square of normalised residuals")
    return axes


def cross_validation(inversion: Inversion, ax: Any = None) -> Any:
    """Score of left-out observations against smoothness, a line per sparsity; Axes. Raises
    InvalidArgument where the weights were chosen in another way."""
    choice = inversion.choice
    if not np.isfinite(choice.score).any():
        invalid("inversion", "must have scores of what was left out, which "
                             "regularisation.choice cross_validation gives")
    axes = plt.subplots(figsize=(6.0, 4.6), constrained_layout=True)[1] if ax is None else ax
    _sparsity_lines(inversion, axes, choice.smoothness, choice.score)
    at = choice.chosen
    axes.plot(choice.smoothness[at[0]], choice.score[at], "o", markersize=11,
              markerfacecolor="none", markeredgecolor=INK, label="_chosen")
    axes.set(xscale="log", yscale="log", xlabel=r"smoothness $\lambda$",
             ylabel="score of what was left out")
    return axes
