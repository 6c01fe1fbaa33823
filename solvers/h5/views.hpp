// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "solvers/h5/file.hpp"

namespace kaname::h5 {

/// A part of another file's dataset under a name of its own, for readers that take whole datasets
/// alone. It has `first`, indices of the leading axes, and the other axes whole.
struct View {
    std::string name;     ///< in the file of views; groups on the way are made
    std::string dataset;  ///< in `source`
    Dims first;           ///< at most as many as the dataset has axes
};

/// Writes a file of float32 views of datasets of `source` (virtual datasets): a few kilobytes each,
/// whatever their size. `source_name` is the source's place from the folder of `path`; a view whose
/// source is missing is NaN. The file appears under its name when it is complete, and HDF5 1.10 or
/// later opens it. Throws InvalidArgument naming a dataset that has no such part, Unavailable when
/// the system refuses, or built without HDF5.
void write_views(const std::string& path, const File& source, const std::string& source_name,
                 std::span<const View> views);

}  // namespace kaname::h5
