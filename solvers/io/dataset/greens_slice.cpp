// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_slice.hpp"

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
    const h5::Dims dims = file.dims("greens");
    if (dims.size() != 4 || dims[3] != kDirections.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": greens must have the axes source, epoch, station, component");
    }
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

}  // namespace kaname::io
