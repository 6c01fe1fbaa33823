// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"

namespace kaname::request {

inline constexpr double kDefaultMinDepth_m = 8000.0;
inline constexpr double kDefaultGrowth = 0.3;
inline constexpr unsigned kDefaultProfileSteps = 20;
inline constexpr const char* kDefaultTop = "top";
inline constexpr const char* kDefaultHistory = "step";  // of slip and of sides
inline constexpr double kDefaultAlpha = 0.5;
inline constexpr double kDefaultFriction = 0.4;
inline constexpr double kDefaultTolerance = 1e-8;
inline constexpr double kDefaultSpectrumTolerance = 1e-5;
// kDefaultRangeTolerance is relative to the largest change, where viscosities have ranges (decision
// 0091).
inline constexpr double kDefaultRangeTolerance = 1e-3;
// Solves at shifts must be that much better than what their reduced model promises.
inline constexpr double kSpectrumOverSolver = 100.0;
inline constexpr unsigned kDefaultMaxIterations = 500;
inline constexpr unsigned kDefaultMaxIterationsPcge = 20000;
// The two defaults below are not filled in: what a dataset records of its request would
// change.
inline constexpr double kDefaultThinnestLayer = 0.1;
inline constexpr const char* kDefaultCheckpoint = "auto";

/// Returns the kind of a side of the box. Where the request leaves it out, it is free at the
/// top and where the side has conditions by component, else fixed.
[[nodiscard]] v1::BoundarySide::Kind kind_of(const v1::BoundarySide& side, bool is_top);

/// Replaces every zero or empty value that greens.proto gives a default to, so that the message
/// says all that is computed. Left alone: time.step_s = 0 (the solver divides the shortest
/// relaxation time) and time.epochs_s empty (every step). Applying it twice changes nothing more.
void fill_defaults(v1::GreensBatch& batch);

/// A range of viscosity, where it stands and what else is said there.
struct RangePlace {
    std::string field;  ///< path of the range, as "structure.materials[1].viscosity_range_pa_s"
    std::string number_field;  ///< of the number in whose place it stands
    std::string parameter;     ///< name that answers know it by
    const v1::ViscosityRange* range = nullptr;
    double number_pa_s = 0.0;  ///< the field beside it; 0: none
};

/// All ranges of a batch, in the order of materials, then volumes.
[[nodiscard]] std::vector<RangePlace> ranges_of(const v1::GreensBatch& batch);

/// `reference`, or else the geometric mean.
[[nodiscard]] double reference_of(const v1::ViscosityRange& range);

}  // namespace kaname::request
