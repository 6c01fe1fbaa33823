// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/spec/inversion/load_inversion.hpp"

namespace kaname::compute {

/// The inversion in the JSON at `path`, checked again. A File of it that has a sha256 is read at
/// `files`/<sha256>; with `files` empty, and without a sha256, its path holds.
/// Throws as spec::check_inversion, InvalidArgument where the file is no inversion in JSON.
[[nodiscard]] spec::LoadedInversion load_stored_inversion(const std::string& path,
                                                          const std::string& files);

}  // namespace kaname::compute
