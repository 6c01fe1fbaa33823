// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kaname::io {

/// Every `stride`-th index from `start`, `count` of them; count 0: to the end.
struct IndexRange {
    std::int64_t start = 0, count = 0, stride = 1;
};

/// A block of a dataset's Green's functions.
struct GreensSlice {
    std::vector<std::string> sources, stations, components;
    std::vector<double> epochs_s;
    std::vector<double> greens;  ///< [source][epoch][station][3] m per m; NaN if missing
};

/// Throws InvalidArgument when the HDF5 file is another one than greens.h5.
void require_greens(const std::string& path);

/// Reads the block and no more of greens.h5. Throws OutOfRange naming axis, index and extent, else
/// as read_greens_dataset.
[[nodiscard]] GreensSlice read_greens_slice(const std::string& path, const IndexRange& sources,
                                            const IndexRange& epochs, const IndexRange& stations);

}  // namespace kaname::io
