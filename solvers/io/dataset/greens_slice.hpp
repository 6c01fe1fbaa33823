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

/// A block of a dataset's Green's functions; of seismograms stations are the receivers, epochs the
/// samples' times, and values m.
struct GreensSlice {
    std::vector<std::string> sources, stations, components;
    std::vector<double> epochs_s;
    std::vector<double> greens;  ///< [source][epoch][station][3] m per m; NaN if missing
};

/// Throws InvalidArgument when the HDF5 file is another one than greens.h5.
void require_greens(const std::string& path);

/// Reads the block and no more of greens.h5 or seismograms.h5. Throws OutOfRange naming axis, index
/// and extent, else as read_greens_dataset.
[[nodiscard]] GreensSlice read_greens_slice(const std::string& path, const IndexRange& sources,
                                            const IndexRange& epochs, const IndexRange& stations);

/// What the indices of a dataset's axes stand for.
struct GreensAxes {
    std::vector<std::string> sources, patches, stations;  ///< patches: of each source
    std::vector<double> epochs_s;
};

/// Throws as read_greens_slice.
[[nodiscard]] GreensAxes read_greens_axes(const std::string& path);

/// Indices of each axis in any order; what is empty is so in the slice.
struct GreensIndices {
    std::vector<std::int64_t> sources, epochs, stations;
};

/// As above, of single indices. Reads blocks of at most kSliceSpan sources and stations that cover
/// them: memory is that of the slice and one such block. Throws OutOfRange.
[[nodiscard]] GreensSlice read_greens_slice(const std::string& path, const GreensIndices& indices);

/// About a chunk of a dataset.
inline constexpr std::int64_t kSliceSpan = 64;

}  // namespace kaname::io
