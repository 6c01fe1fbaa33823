#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/images/gnss_series.png of docs/user/gnss_series.md: a made-up station and its fit.

Usage, from the root of the repository: docs/figures/gnss.py build/python. Needs python3-matplotlib
and python3-pil. Noise is drawn with a fixed seed.
"""
import datetime
import io
import pathlib
import sys

import numpy as np
from PIL import Image

sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__))
from kaname.data import gnss  # noqa: E402
from kaname.data.gnss.pictures import picture  # noqa: E402

IMAGES = pathlib.Path(__file__).resolve().parents[2] / "docs/images"
FIRST = (datetime.date(2008, 1, 1) - datetime.date(1858, 11, 17)).days
DAYS, EVENT, ANTENNA = 3300, (datetime.date(2011, 3, 11) - datetime.date(2008, 1, 1)).days, 2300


def flicker(rng):
    """Power-law noise of index -1, [day][3], of variance 1 per day."""
    k = np.arange(1, DAYS)
    h = np.r_[1.0, np.cumprod((k - 0.5) / k)]
    return np.stack([np.convolve(h, rng.normal(size=DAYS))[:DAYS] for _ in range(3)], axis=1)


def station():
    rng = np.random.default_rng(12)
    day = np.arange(DAYS)
    years, phase = day / 365.25, 2 * np.pi * day / 365.25
    motion = (np.outer(years, (-0.022, 0.009, -0.002)) + np.outer(np.cos(phase), (0.001, 0.002, 0.006))
              + np.outer(day > EVENT, (0.060, -0.030, -0.020))
              + np.outer(np.log1p(np.maximum(day - EVENT, 0) / 20.0), (0.012, -0.006, 0.004))
              + np.outer(day >= ANTENNA, (0.0, 0.002, 0.015)))
    motion += flicker(rng) * np.array([0.001, 0.001, 0.003]) + rng.normal(0.0, 1.0, (DAYS, 3)) * (0.001, 0.001, 0.003)
    motion[rng.random(DAYS) < 0.004] += rng.normal(0.0, 0.05, 3)
    there = (rng.random(DAYS) > 0.05) & ((day < 1700) | (day > 1790))
    n = int(there.sum())
    return gnss.Series("MADE", 141.0, 38.0, 0.0, FIRST + day[there] + 0.5, motion[there] - motion[0],
                       np.full((n, 3), 0.001), np.zeros((n, 3)), "", [float(FIRST + ANTENNA)])


def main():
    drawn = io.BytesIO()
    fit = gnss.fit(station(), ["2011-03-11"], law="log")["MADE"]
    picture(fit).savefig(drawn, dpi=100, metadata={"Software": None})
    few = Image.open(drawn).convert("RGB").quantize(32, dither=Image.Dither.NONE)
    few.save(IMAGES / "gnss_series.png", optimize=True)


if __name__ == "__main__":
    main()
