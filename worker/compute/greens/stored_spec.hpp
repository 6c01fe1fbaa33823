// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/spec/greens/load.hpp"

namespace kaname::compute {

/// The specification in the JSON at `path`. A File of it that has a sha256 is read at
/// `files`/<sha256>; with `files` empty, and without a sha256, its path holds.
/// Throws as spec::load_spec_json, InvalidArgument for a sha256 that is none.
[[nodiscard]] spec::LoadedSpec load_stored_spec(const std::string& path, const std::string& files);

}  // namespace kaname::compute
