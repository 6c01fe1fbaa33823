// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/io/export/greens/layouts.hpp"

namespace kaname::io {

/// The text of manifest.json: layout, dataset by name and hash, epochs, the order of patches,
/// stations and sources, conventions, and what the layout recorded.
[[nodiscard]] std::string manifest_text(const std::string& layout, const ExportCall& call,
                                        const ExportRecord& record);

}  // namespace kaname::io
