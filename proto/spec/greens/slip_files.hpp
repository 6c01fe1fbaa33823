// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/greens/slip_places.hpp"
#include "solvers/base/error.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::spec {

/// How an event's file is read: its format and what it leaves unsaid.
[[nodiscard]] slip_model::ReadOptions read_options(const v1::SlipEvent& event);

/// Adds the patches of events' files to `slip`, of very large files every so many. Files of points
/// and those in a local frame without an origin in longitude and latitude are left out: the
/// specification does not say where they are. Files have absolute paths; those without a sha256 are
/// left out. Returns one violation for each file that cannot be read.
[[nodiscard]] std::vector<Violation> add_slip_of_files(const v1::GreensBatch& batch,
                                                       SlipPlaces& slip);

}  // namespace kaname::spec
