// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "solvers/base/text_file.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::slip_model {

/// The format of a file of numbers whose name says nothing, as the files of a service: SRF by its
/// version and the block behind it, MudPy's and Relax's rows by how many numbers they have. Nothing
/// where it is none of these.
[[nodiscard]] std::optional<SlipFormat> format_of_rows(const TextFile& file);

}  // namespace kaname::slip_model
