// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {

/// Where sources are and what they are beside: every variable of docs/user/dataset.md that has the
/// dimension source and does not tell how it was solved. The dimensions source and corner are
/// there.
void write_source_places(GroupWriter& root, std::span<const GreensDataset::Source> sources,
                         bool projected);

}  // namespace kaname::io
