// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/jobs/spec/time_spec.hpp"

namespace kaname::compute {

/// `field`: its place in the specification, for errors.
[[nodiscard]] jobs::SlipHistory history_of(const v1::SlipHistory& history,
                                           const std::string& field);

/// The history that answers of a dataset are under: `wanted` [JSON of kaname.v1.SlipHistory],
/// empty: the dataset's own. Throws ValidationError for a history that breaks a rule; end_s: of the
/// solve.
[[nodiscard]] jobs::SlipHistory answered_history(const std::string& specification_json,
                                                 const std::string& wanted, double end_s);

}  // namespace kaname::compute
