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
        throw Error(ErrorCode::OutOfRange,
                    std::string(axis) + ": start " + std::to_string(range.start) + ", count " +
                        std::to_string(range.count) + ", stride " + std::to_string(range.stride) +
                        " must stay below " + std::to_string(extent));
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

/// The values of a dataset as [source][epoch][station][component]: those of greens.h5 as they lie;
/// of seismograms.h5, [source][receiver][component][time], turned.
class Values {
public:
    explicit Values(const std::string& path)
        : file_(path, h5::File::Mode::Read), waves_(!file_.has("greens")) {
        if (waves_ && !file_.has("seismograms")) {
            require_greens(path);
        }
        const h5::Dims dims = file_.dims(waves_ ? "seismograms" : "greens");
        if (dims.size() != 4 || dims[waves_ ? 2 : 3] != kDirections.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": must have the axes " +
                            (waves_ ? "source, receiver, component, time"
                                    : "source, epoch, station, component"));
        }
        dims_ = waves_ ? h5::Dims{dims[0], dims[3], dims[1], dims[2]} : dims;
    }

    [[nodiscard]] std::int64_t extent(int axis) const {
        return static_cast<std::int64_t>(dims_[axis]);
    }
    [[nodiscard]] std::vector<double> epochs_s() const {
        return file_.read<double>(waves_ ? "time" : "epoch", {dims_[1]});
    }
    [[nodiscard]] std::vector<std::string> sources() const { return names("source", 0); }
    [[nodiscard]] std::vector<std::string> patches() const {
        return names(file_.has("patch_id") ? "patch_id" : "source", 0);
    }
    [[nodiscard]] std::vector<std::string> stations() const {
        return names(waves_ ? "receiver" : "station", 2);
    }
    [[nodiscard]] std::vector<std::string> components() const { return names("component", 3); }
    /// Of three axes; all components.
    [[nodiscard]] std::vector<double> block(const h5::Dims& start, const h5::Dims& count,
                                            const h5::Dims& stride) const {
        const std::uint64_t n_c = dims_[3];
        if (!waves_) {
            return file_.read_block<double>("greens", {start[0], start[1], start[2], 0},
                                            {count[0], count[1], count[2], n_c},
                                            {stride[0], stride[1], stride[2], 1});
        }
        const auto lying = file_.read_block<double>(
            "seismograms", {start[0], start[2], 0, start[1]}, {count[0], count[2], n_c, count[1]},
            {stride[0], stride[2], 1, stride[1]});
        std::vector<double> turned(lying.size());
        auto from = lying.begin();
        for (std::uint64_t s = 0; s < count[0]; ++s) {
            for (std::uint64_t n = 0; n < count[2] * n_c; ++n) {
                for (std::uint64_t t = 0; t < count[1]; ++t) {
                    turned[(s * count[1] + t) * count[2] * n_c + n] = *from++;
                }
            }
        }
        return turned;
    }

private:
    /// As many as the axis is long.
    [[nodiscard]] std::vector<std::string> names(const char* variable, int axis) const {
        std::vector<std::string> names = file_.read_strings(variable);
        if (names.size() != dims_[axis]) {
            throw Error(ErrorCode::InvalidArgument,
                        file_.path() + ": '" + variable + "' has " + std::to_string(names.size()) +
                            " names, must have " + std::to_string(dims_[axis]));
        }
        return names;
    }

    h5::File file_;
    bool waves_;
    h5::Dims dims_;
};

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
    const Values values(path);
    const IndexRange s = resolve("sources", sources, values.extent(0));
    const IndexRange t = resolve("epochs", epochs, values.extent(1));
    const IndexRange n = resolve("stations", stations, values.extent(2));
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    GreensSlice slice;
    slice.sources = pick(values.sources(), s);
    slice.epochs_s = pick(values.epochs_s(), t);
    slice.stations = pick(values.stations(), n);
    slice.components = values.components();
    slice.greens =
        values.block({u(s.start), u(t.start), u(n.start)}, {u(s.count), u(t.count), u(n.count)},
                     {u(s.stride), u(t.stride), u(n.stride)});
    return slice;
}

GreensAxes read_greens_axes(const std::string& path) {
    const Values values(path);
    return {values.sources(), values.patches(), values.stations(), values.epochs_s()};
}

GreensSlice read_greens_slice(const std::string& path, const GreensIndices& indices) {
    const Values values(path);
    const auto sources = runs_of("sources", indices.sources, values.extent(0), kSliceSpan);
    const auto epochs = runs_of("epochs", indices.epochs, values.extent(1), values.extent(1));
    const auto stations = runs_of("stations", indices.stations, values.extent(2), kSliceSpan);
    GreensSlice slice;
    slice.sources = pick(values.sources(), indices.sources);
    slice.epochs_s = pick(values.epochs_s(), indices.epochs);
    slice.stations = pick(values.stations(), indices.stations);
    slice.components = values.components();
    const std::size_t n_t = indices.epochs.size(), n_n = indices.stations.size(),
                      n_c = slice.components.size();
    slice.greens.resize(indices.sources.size() * n_t * n_n * n_c);
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto length = [&](const Run& run) { return u(run.last - run.first + 1); };
    for (const Run& s : sources) {
        for (const Run& t : epochs) {
            for (const Run& n : stations) {
                const auto block = values.block({u(s.first), u(t.first), u(n.first)},
                                                {length(s), length(t), length(n)}, {1, 1, 1});
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
