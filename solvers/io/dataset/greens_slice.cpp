// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_slice.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

using Indices = std::vector<std::int64_t>;

std::uint64_t u(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

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

Indices indices_of(const char* axis, const IndexRange& wanted, std::int64_t extent) {
    const IndexRange range = resolve(axis, wanted, extent);
    Indices indices(static_cast<std::size_t>(range.count));
    for (std::int64_t k = 0; k < range.count; ++k) {
        indices[static_cast<std::size_t>(k)] = range.start + k * range.stride;
    }
    return indices;
}

void check_indices(const char* axis, const Indices& indices, std::int64_t extent) {
    for (const std::int64_t index : indices) {
        if (index < 0 || index >= extent) {
            throw Error(ErrorCode::OutOfRange, std::string(axis) + ": index " +
                                                   std::to_string(index) + " must be < " +
                                                   std::to_string(extent));
        }
    }
}

/// Indices of an axis that are read together, and where each belongs in the piece.
struct Run {
    struct Part {
        std::size_t at, place;  ///< in the run, in the piece
    };
    std::int64_t first = 0, count = 0, stride = 1;
    std::vector<Part> parts = {};

    /// Returns true if the run covers every place of its axis, each once and in order.
    [[nodiscard]] bool in_order() const {
        return count == std::ssize(parts) &&
               std::ranges::all_of(parts, [](const Part& part) { return part.at == part.place; });
    }
};

/// Returns one run where the indices rise in equal steps; else runs of neighbouring indices, at
/// least every second of which is wanted.
std::vector<Run> runs_of(std::span<const std::int64_t> indices) {
    std::vector<std::pair<std::int64_t, std::size_t>> sorted;
    const std::int64_t stride = indices.size() > 1 ? indices[1] - indices[0] : 1;
    bool even = stride > 0;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        even = even && indices[k] == indices[0] + std::int64_t(k) * stride;
        sorted.emplace_back(indices[k], k);
    }
    std::vector<Run> runs;
    if (even) {
        Run& run = runs.emplace_back(Run{indices[0], std::ssize(indices), stride});
        for (std::size_t k = 0; k < indices.size(); ++k) {
            run.parts.push_back({k, k});
        }
        return runs;
    }
    std::ranges::sort(sorted);
    for (const auto& [index, place] : sorted) {
        const std::int64_t length = runs.empty() ? 0 : index - runs.back().first + 1;
        if (runs.empty() || length > GreensSliceReader::kSliceSpan ||
            length > 2 * std::ssize(runs.back().parts) + 1) {
            runs.push_back({index, 0});
        }
        Run& run = runs.back();
        run.count = index - run.first + 1;
        run.parts.push_back({static_cast<std::size_t>(index - run.first), place});
    }
    return runs;
}

template <class T>
std::vector<T> pick(const std::vector<T>& all, const Indices& indices) {
    std::vector<T> some;
    some.reserve(indices.size());
    for (const std::int64_t index : indices) {
        some.push_back(all.at(static_cast<std::size_t>(index)));
    }
    return some;
}

GreensSlice read_all(GreensSliceReader&& reader) {
    GreensSlice slice = reader.axes();
    for (std::vector<double> piece; !(piece = reader.next()).empty();) {
        slice.greens.insert(slice.greens.end(), piece.begin(), piece.end());
    }
    return slice;
}

}  // namespace

/// The values of a dataset as [source][epoch][station][component]: those of greens.h5 as they lie;
/// of seismograms.h5, [source][receiver][component][time], turned.
class GreensSliceReader::Values {
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
    /// Reads a block of sources, epochs and stations with all components, as
    /// [source][epoch][station][component].
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

    /// The values of these runs as [source][epoch][station][component], of these sizes.
    [[nodiscard]] std::vector<double> gather(const std::vector<Run>& sources,
                                             const std::vector<Run>& epochs,
                                             const std::vector<Run>& stations,
                                             const std::array<std::size_t, 3>& sizes) const {
        const std::size_t n_c = dims_[3];
        std::vector<double> piece;
        for (const Run& s : sources) {
            for (const Run& t : epochs) {
                for (const Run& n : stations) {
                    std::vector<double> lying = block({u(s.first), u(t.first), u(n.first)},
                                                      {u(s.count), u(t.count), u(n.count)},
                                                      {u(s.stride), u(t.stride), u(n.stride)});
                    if (sources.size() * epochs.size() * stations.size() == 1 && s.in_order() &&
                        t.in_order() && n.in_order()) {
                        return lying;
                    }
                    piece.resize(sizes[0] * sizes[1] * sizes[2] * n_c);
                    for (const Run::Part& source : s.parts) {
                        for (const Run::Part& epoch : t.parts) {
                            for (const Run::Part& station : n.parts) {
                                const std::size_t from =
                                    (source.at * u(t.count) + epoch.at) * u(n.count) + station.at;
                                const std::size_t to =
                                    (source.place * sizes[1] + epoch.place) * sizes[2] +
                                    station.place;
                                std::copy_n(lying.data() + from * n_c, n_c,
                                            piece.data() + to * n_c);
                            }
                        }
                    }
                }
            }
        }
        return piece;
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

GreensSliceReader::GreensSliceReader(const std::string& path, const IndexRange& sources,
                                     const IndexRange& epochs, const IndexRange& stations,
                                     std::size_t most)
    : GreensSliceReader(std::make_unique<Values>(path), {}, most) {
    indices_ = {indices_of("sources", sources, values_->extent(0)),
                indices_of("epochs", epochs, values_->extent(1)),
                indices_of("stations", stations, values_->extent(2))};
    begin();
}

GreensSliceReader::GreensSliceReader(const std::string& path, GreensIndices indices,
                                     std::size_t most)
    : GreensSliceReader(std::make_unique<Values>(path), std::move(indices), most) {
    begin();
}

GreensSliceReader::GreensSliceReader(std::unique_ptr<Values> values, GreensIndices indices,
                                     std::size_t most)
    : values_(std::move(values)), indices_(std::move(indices)), most_(most) {}

GreensSliceReader::~GreensSliceReader() = default;

void GreensSliceReader::begin() {
    check_indices("sources", indices_.sources, values_->extent(0));
    check_indices("epochs", indices_.epochs, values_->extent(1));
    check_indices("stations", indices_.stations, values_->extent(2));
    axes_.sources = pick(values_->sources(), indices_.sources);
    axes_.epochs_s = pick(values_->epochs_s(), indices_.epochs);
    axes_.stations = pick(values_->stations(), indices_.stations);
    axes_.components = values_->components();
    left_ = axes_.sources.size() * axes_.epochs_s.size() * axes_.stations.size();
}

GreensAxes GreensSliceReader::whole_axes() const {
    return {values_->sources(), values_->patches(), values_->stations(), values_->epochs_s()};
}

std::vector<double> GreensSliceReader::next() {
    if (left_ == 0) {
        return {};
    }
    const std::size_t n_s = indices_.sources.size(), n_t = indices_.epochs.size(),
                      n_n = indices_.stations.size();
    // Whole axes from the last on, then as much of the next one as fits.
    const std::size_t most = std::max<std::size_t>(1, most_ / axes_.components.size());
    const std::size_t stations = std::min(most, n_n - station_);
    const std::size_t epochs =
        stations < n_n ? 1 : std::clamp<std::size_t>(most / n_n, 1, n_t - epoch_);
    const std::size_t sources =
        epochs < n_t ? 1 : std::clamp<std::size_t>(most / (n_n * n_t), 1, n_s - source_);
    const auto some = [](const Indices& all, std::size_t first, std::size_t count) {
        return runs_of(std::span(all).subspan(first, count));
    };
    std::vector<double> piece = values_->gather(
        some(indices_.sources, source_, sources), some(indices_.epochs, epoch_, epochs),
        some(indices_.stations, station_, stations), {sources, epochs, stations});
    left_ -= sources * epochs * stations;
    station_ = (station_ + stations) % n_n;
    epoch_ = station_ > 0 ? epoch_ : (epoch_ + epochs) % n_t;
    source_ += station_ > 0 || epoch_ > 0 ? 0 : sources;
    return piece;
}

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
    return read_all({path, sources, epochs, stations});
}

GreensSlice read_greens_slice(const std::string& path, const GreensIndices& indices) {
    return read_all({path, indices});
}

GreensAxes read_greens_axes(const std::string& path) {
    return GreensSliceReader(path, GreensIndices{}).whole_axes();
}

void write_answer_table(const std::string& path, const AnswerTable& table) {
    const std::vector<std::string> components = {"east", "north", "up"};
    const auto texts = [](const std::vector<std::string>& of) {
        return std::span<const std::string>(of);
    };
    h5::write_atomically(path, [&](h5::File& file) {
        write_about(file, "answers of " + table.name + " for other viscosities",
                    table.kaname_version,
                    "motion computed from the reduced model of " + table.name);
        file.set_attribute("/", "specification", table.specification_json);
        GroupWriter root(file);
        root.count("rheology", table.error.size(), "choice of viscosities");
        root.epochs(table.epochs_s, "time since the slip");
        root.dimension("station", texts(table.stations), "", "station");
        root.dimension("component", texts(components), "", "direction of motion");
        root.dimension("parameter", texts(table.parameters), "", "viscosity that was chosen");
        root.variable("viscosity", {"rheology", "parameter"}, table.viscosity_pa_s, "Pa s",
                      "viscosities of each rheology");
        if (!table.ratios.empty()) {
            root.dimension("modulus", texts(table.ratios), "", "ratio that was chosen");
            root.variable("modulus_ratio", {"rheology", "modulus"}, table.modulus_ratio, "1",
                          "moduli of each rheology over the unrelaxed shear modulus");
        }
        root.variable("error", {"rheology"}, table.error, "1",
                      "certified error over the largest change of the motion");
        root.variable("displacement", {"rheology", "epoch", "station", "component"},
                      table.displacement_m, "m",
                      "displacement since before the slip, of the slip that was given");
    });
}

SolveRecords read_solve_records(const std::string& path) {
    require_greens(path);
    const h5::File file(path, h5::File::Mode::Read);
    SolveRecords records;
    records.sources = file.read_strings("source");
    records.status = file.read<std::int8_t>("status", {records.sources.size()});
    records.step_time_s = file.read<double>("step_time", {h5::kAny});
    const h5::Dims by_step = {records.sources.size(), records.step_time_s.size()};
    records.iterations = file.read<std::int32_t>("iterations", by_step);
    records.residual = file.read<double>("residual", by_step);
    records.initial_residual = file.read<double>("initial_residual", by_step);
    if (file.has("shift")) {
        records.shift_per_s = file.read<double>("shift", by_step);
    }
    return records;
}

}  // namespace kaname::io
