// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/greens/stations.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Every rule of a batch that needs neither files nor geometry; all that are broken, at once, in
/// the order of the message, with values in the units that they were written in: `unit_factor` is
/// from those to the message's, by field path; empty: all 1. Accepts messages before and after
/// fill_defaults. `stations`: those of the list and of files, where a rule is of both.
[[nodiscard]] std::vector<Violation> validate(
    const v1::GreensBatch& batch,
    const std::function<double(const std::string& field)>& unit_factor = {},
    const std::vector<SpecStation>& stations = {});

}  // namespace kaname::spec
