// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::viscoelastic {

/// First guesses of a time step.
enum class PredictorKind {
    None,
    Previous,
    Ab2,
    Cubic,
    DataDriven,           ///< its truncation follows the solver's tolerance
    DataDrivenPublished,  ///< no truncation, no second guess, waits for all of its history
    Projection
};

}  // namespace kaname::viscoelastic
