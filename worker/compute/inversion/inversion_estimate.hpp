// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/report.pb.h"
#include "proto/spec/inversion/load_inversion.hpp"

namespace kaname::compute {

/// What an inversion would take, roughly: of the dataset only its ids are read. Throws
/// ValidationError on `greens` when it is no dataset of Green's functions.
[[nodiscard]] v1::Estimate estimate_of(const spec::LoadedInversion& spec, int threads);

}  // namespace kaname::compute
