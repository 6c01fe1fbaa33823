// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/spec/form/request.hpp"

namespace kaname::cli {

/// The kind of a specification in YAML or JSON; null where its schema is absent or not known.
[[nodiscard]] const spec::Kind* kind_of_file(const std::string& file);

/// Throws InvalidArgument when the specification is an inversion: that has a command of its own,
/// `program` invert.
void refuse_inversion(const std::string& file, const std::string& program);

/// Throws InvalidArgument when the specification says to be of another kind that is known:
/// `program` run --local and submit are for those.
void require_inversion(const std::string& file, const std::string& program);

}  // namespace kaname::cli
