// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/report.pb.h"
#include "proto/spec/inversion/load_inversion.hpp"

namespace kaname::compute {

/// Estimates roughly the cost of an inversion; only the ids of the dataset are read. Throws
/// ValidationError on `greens` when it is not a dataset of Green's functions.
[[nodiscard]] v1::Estimate estimate_of(const spec::LoadedInversion& spec, int threads);

}  // namespace kaname::compute
