#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes series.view.json and raster.view.json for the tests of the view Data, by the package and of made-up data.

Usage: view_files.py PACKAGE FOLDER [NAME]: the folder of the Python package, the folder to write to, and in place of a
station's and a point's name another one.
"""
import dataclasses
import pathlib
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import invented_rasters as made  # noqa: E402
from kaname.data import gnss, insar, view  # noqa: E402

FOLDER = pathlib.Path(sys.argv[2])
NAME = sys.argv[3] if len(sys.argv) > 3 else "OTHER"
FIRST, DAYS = 55000, 1401  # 18 June 2009
EVENT = FIRST + DAYS // 2  # 19 May 2011, in the middle of the series
ANTENNA = FIRST + 300.0
SIDE, STEP = 90, 0.002
HALF_M, NOISE_M, LENGTH_M = 0.05, 0.002, 1500.0


def series(station, lon, lat, rng):
    """A step of 30, -20 and 10 mm in the middle, a new antenna, and one epoch 80 mm off."""
    day = np.arange(DAYS)
    motion = (np.outer(day / 365.25, (0.02, -0.01, 0.002)) + np.outer(FIRST + day > EVENT, (0.03, -0.02, 0.01))
              + np.outer(FIRST + day >= ANTENNA, (0.0, 0.0, 0.015)) + rng.normal(0.0, 1.0, (DAYS, 3)) * (0.001, 0.001, 0.003))
    motion[500] += 0.08
    return gnss.Series(station, lon, lat, 0.0, FIRST + day + 0.5, motion - motion[0], np.full((DAYS, 3), 0.001),
                       np.zeros((DAYS, 3)), "", [ANTENNA])


def write_series():
    rng = np.random.default_rng(12)
    places = {"MADE": (141.0, 38.0), NAME: (141.6, 38.4), "LOST": (np.nan, np.nan)}
    network = gnss.Network({name: series(name, *place, rng) for name, place in places.items()})
    fits = gnss.fit(network, ["2011-05-19"], spectral_index=-1.0, processes=1)
    view.write(view.of_series(fits, "made-up series"), FOLDER / "series.view.json")


def write_raster():
    """Towards the satellite in the west, away from it in the east, and nothing in the middle of the north."""
    lon, lat = np.meshgrid(20.0 + STEP * np.arange(SIDE), 38.0 - STEP * np.arange(SIDE))
    look = np.broadcast_to(made.look()[:, None, None], (3, SIDE, SIDE))
    blank = insar.Raster("halves.h5", np.zeros((SIDE, SIDE)), lon, lat, look)
    errors = made.noise((SIDE, SIDE), blank.spacing_m, NOISE_M, LENGTH_M, np.random.default_rng(4))
    model = insar.fit(insar.empirical(blank.with_values(errors)))
    values = np.where(lon < lon.mean(), HALF_M, -HALF_M) + errors
    values[:30, 30:60] = np.nan
    raster = blank.with_values(values)
    points = insar.reduce(raster, 60, covariogram=model, name="halves")
    points = dataclasses.replace(points, station=(*points.station[:-1], NAME))
    view.write(view.of_raster(raster, points), FOLDER / "raster.view.json")


if __name__ == "__main__":
    write_series()
    write_raster()
