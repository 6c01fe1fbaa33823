// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"

namespace kaname::slip_model {

inline constexpr double kMetresPerCm = 0.01;
inline constexpr double kNewtonMetresPerDyneCm = 1e-7;
inline constexpr int kMostPatches = 200000;
/// Parts of a patch's slip whose sum differs by more from it are told.
inline constexpr double kSumDiffers = 0.05;

/// Checks a patch read from `line` against the ranges every format shares, turns strike into
/// [0, 360) and longitude into [-180, 180], and appends it. Refuses the line otherwise.
void add_patch(SlipModel& model, SlipPatch patch, const TextLine& line);

/// One segment per run of patches whose strike and dip stay within a degree, and lengths and widths
/// within 1 %, of the run's first: for formats that know no segments.
void split_into_segments(SlipModel& model);

/// Refuses a file without patches, without slip anywhere, or with all of its patches above sea
/// level: its depths count up.
void check_patches(const SlipModel& model, const TextFile& file);

}  // namespace kaname::slip_model
