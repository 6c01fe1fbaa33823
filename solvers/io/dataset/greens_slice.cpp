// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_slice.hpp"

#include <algorithm>
#include <utility>

#include "solvers/base/directions.hpp"
#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::io {
namespace {

/// The range with its count filled in.
IndexRange resolve(const char* axis, IndexRange range, std::int64_t extent) {
    if (range.start < 0 || range.count < 0 || range.stride < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(axis) + ": start and count must be >= 0 and stride >= 1, got " +
                        std::to_string(range.start) + ", " + std::to_string(range.count) + ", " +
                        std::to_string(range.stride));
    }
    const std::int64_t left =
        range.start < extent ? (extent - range.start - 1) / range.stride + 1 : 0;
    if (left == 0 || range.count > left) {
        const std::int64_t last =
            range.count > 0 ? range.start + (range.count - 1) * range.stride : range.start;
        throw Error(ErrorCode::OutOfRange, std::string(axis) + ": index " + std::to_string(last) +
                                               " must be < " + std::to_string(extent));
    }
    if (range.count == 0) {
        range.count = left;
    }
    return range;
}

/// Some of the indices of an axis, close to each other, and where each belongs in the slice.
struct Run {
    std::int64_t first = 0, last = 0;
    std::vector<std::pair<std::int64_t, std::size_t>> parts;  ///< index, place
};

std::vector<Run> runs_of(const char* axis, const std::vector<std::int64_t>& indices,
                         std::int64_t extent, std::int64_t span) {
    std::vector<std::pair<std::int64_t, std::size_t>> sorted;
    for (const std::int64_t index : indices) {
        if (index < 0 || index >= extent) {
            throw Error(ErrorCode::OutOfRange, std::string(axis) + ": index " +
                                                   std::to_string(index) + " must be < " +
                                                   std::to_string(extent));
        }
        sorted.emplace_back(index, sorted.size());
    }
    std::ranges::sort(sorted);
    std::vector<Run> runs;
    for (const auto& [index, place] : sorted) {
        if (runs.empty() || index - runs.back().first >= span) {
            runs.push_back({index, index, {}});
        }
        runs.back().last = index;
        runs.back().parts.emplace_back(index, place);
    }
    return runs;
}

template <class T>
std::vector<T> pick(const std::vector<T>& all, const std::vector<std::int64_t>& indices) {
    std::vector<T> some;
    some.reserve(indices.size());
    for (const std::int64_t index : indices) {
        some.push_back(all.at(static_cast<std::size_t>(index)));
    }
    return some;
}

/// The extents of greens, of which the last is the components.
h5::Dims greens_dims(const h5::File& file) {
    h5::Dims dims = file.dims("greens");
    if (dims.size() != 4 || dims[3] != kDirections.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    file.path() + ": greens must have the axes source, epoch, station, component");
    }
    return dims;
}

template <class T>
std::vector<T> pick(const std::vector<T>& all, const IndexRange& range) {
    std::vector<T> some;
    for (std::int64_t k = 0; k < range.count; ++k) {
        some.push_back(all.at(static_cast<std::size_t>(range.start + k * range.stride)));
    }
    return some;
}

}  // namespace

void require_greens(const std::string& path) {
    if (!h5::File(path, h5::File::Mode::Read).has("greens")) {
        throw Error(ErrorCode::InvalidArgument,
                    path +
                        ": must be a dataset of Green's functions (greens.h5), has no variable "
                        "'greens'");
    }
}

GreensSlice read_greens_slice(const std::string& path, const IndexRange& sources,
                              const IndexRange& epochs, const IndexRange& stations) {
    require_greens(path);
    const h5::File file(path, h5::File::Mode::Read);
    const h5::Dims dims = greens_dims(file);
    const auto extent = [&](int axis) { return static_cast<std::int64_t>(dims[axis]); };
    const IndexRange s = resolve("sources", sources, extent(0));
    const IndexRange t = resolve("epochs", epochs, extent(1));
    const IndexRange n = resolve("stations", stations, extent(2));
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    GreensSlice slice;
    slice.sources = pick(file.read_strings("source"), s);
    slice.epochs_s = pick(file.read<double>("epoch"), t);
    slice.stations = pick(file.read_strings("station"), n);
    slice.components = file.read_strings("component");
    slice.greens = file.read_block<double>("greens", {u(s.start), u(t.start), u(n.start), 0},
                                           {u(s.count), u(t.count), u(n.count), dims[3]},
                                           {u(s.stride), u(t.stride), u(n.stride), 1});
    return slice;
}

GreensAxes read_greens_axes(const std::string& path) {
    require_greens(path);
    const h5::File file(path, h5::File::Mode::Read);
    (void)greens_dims(file);
    return {file.read_strings("source"), file.read_strings("patch_id"),
            file.read_strings("station"), file.read<double>("epoch")};
}

GreensSlice read_greens_slice(const std::string& path, const GreensIndices& indices) {
    require_greens(path);
    const h5::File file(path, h5::File::Mode::Read);
    const h5::Dims dims = greens_dims(file);
    const auto extent = [&](int axis) { return static_cast<std::int64_t>(dims[axis]); };
    const auto sources = runs_of("sources", indices.sources, extent(0), kSliceSpan);
    const auto epochs = runs_of("epochs", indices.epochs, extent(1), extent(1));
    const auto stations = runs_of("stations", indices.stations, extent(2), kSliceSpan);
    GreensSlice slice;
    slice.sources = pick(file.read_strings("source"), indices.sources);
    slice.epochs_s = pick(file.read<double>("epoch"), indices.epochs);
    slice.stations = pick(file.read_strings("station"), indices.stations);
    slice.components = file.read_strings("component");
    const std::size_t n_t = indices.epochs.size(), n_n = indices.stations.size(), n_c = dims[3];
    slice.greens.resize(indices.sources.size() * n_t * n_n * n_c);
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto length = [&](const Run& run) { return u(run.last - run.first + 1); };
    for (const Run& s : sources) {
        for (const Run& t : epochs) {
            for (const Run& n : stations) {
                const auto block =
                    file.read_block<double>("greens", {u(s.first), u(t.first), u(n.first), 0},
                                            {length(s), length(t), length(n), n_c}, {1, 1, 1, 1});
                for (const auto& [source, s_place] : s.parts) {
                    for (const auto& [epoch, t_place] : t.parts) {
                        for (const auto& [station, n_place] : n.parts) {
                            const std::size_t from =
                                (u(source - s.first) * length(t) + u(epoch - t.first)) * length(n) +
                                u(station - n.first);
                            const std::size_t to = (s_place * n_t + t_place) * n_n + n_place;
                            std::copy_n(
                                block.begin() + static_cast<std::ptrdiff_t>(from * n_c), n_c,
                                slice.greens.begin() + static_cast<std::ptrdiff_t>(to * n_c));
                        }
                    }
                }
            }
        }
    }
    return slice;
}

}  // namespace kaname::io
