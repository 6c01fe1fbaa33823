// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/spec/greens/load.hpp"

namespace kaname::spec {

/// The batch with the patches of a YAML file in place of its own: the file is a Fault message with
/// the geometry of the batch's, of which it gives only
///   plane      n_strike, n_dip and rake_deg or components
///   interface  patches
///   mesh       sources
/// Throws ValidationError with all that is wrong with either, as load_spec, Error when the file is
/// no YAML at all.
[[nodiscard]] LoadedSpec with_patches(v1::GreensBatch batch, const std::string& path);

}  // namespace kaname::spec
