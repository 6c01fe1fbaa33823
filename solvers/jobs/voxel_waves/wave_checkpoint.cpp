// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/voxel_waves/wave_checkpoint.hpp"

#include <filesystem>
#include <utility>

#include "solvers/h5/atomic_file.hpp"

namespace kaname::jobs {
namespace {

constexpr const char* kFormat = "kaname-waves-checkpoint-1";

using voxelwave::NodeField;

/// [component][z][y][x][lane] without padding.
template <class T>
std::vector<T> packed(const NodeField<T>& field) {
    std::vector<T> values;
    const auto nodes = field.nodes();
    for (int c = 0; c < 3; ++c) {
        for (int z = 0; z < nodes[2]; ++z) {
            for (int y = 0; y < nodes[1]; ++y) {
                const T* row = field.row(c, z, y);
                values.insert(values.end(), row, row + field.row_length());
            }
        }
    }
    return values;
}

template <class T>
NodeField<T> unpacked(const std::vector<T>& values, const NodeField<T>& like) {
    NodeField<T> field(like.nodes(), like.lanes());
    const auto nodes = field.nodes();
    auto from = values.begin();
    for (int c = 0; c < 3; ++c) {
        for (int z = 0; z < nodes[2]; ++z) {
            for (int y = 0; y < nodes[1]; ++y) {
                std::copy_n(from, field.row_length(), field.row(c, z, y));
                from += field.row_length();
            }
        }
    }
    return field;
}

template <class T>
std::uint64_t numbers_of(const NodeField<T>& field) {
    const auto nodes = field.nodes();
    return std::uint64_t(3) * nodes[2] * nodes[1] * field.row_length();
}

std::string group_of(std::size_t source) {
    return "source" + std::to_string(source) + "/";
}

void write_records(h5::File& file, const WaveRecords& records) {
    file.write_strings("source_key", records.keys());
    file.write<float>("samples", records.samples(), {records.samples().size()});
    for (std::size_t k = 0; k < records.snapshots().size(); ++k) {
        const io::WaveSnapshots& shots = records.snapshots()[k];
        file.write<double>(group_of(k) + "snapshot", shots.times_s, {shots.times_s.size()});
        file.write<std::int64_t>(group_of(k) + "nodes",
                                 std::vector<std::int64_t>(shots.nodes.begin(), shots.nodes.end()),
                                 {3});
        file.write<float>(group_of(k) + "displacement", shots.displacement_m,
                          {shots.displacement_m.size()});
    }
}

void read_records(const h5::File& file, WaveRecords& records) {
    std::vector<io::WaveSnapshots> snapshots(records.keys().size());
    for (std::size_t k = 0; k < snapshots.size(); ++k) {
        snapshots[k].times_s = file.read<double>(group_of(k) + "snapshot", {0});
        const auto nodes = file.read<std::int64_t>(group_of(k) + "nodes", {3});
        std::copy(nodes.begin(), nodes.end(), snapshots[k].nodes.begin());
        snapshots[k].displacement_m = file.read<float>(group_of(k) + "displacement", {0});
    }
    records.restore(file.read<float>("samples", {0}), std::move(snapshots));
}

}  // namespace

template <class T>
WaveCheckpoints<T>::WaveCheckpoints(const WaveJob& job, const std::string& work_dir,
                                    comm::Comm& comm)
    : wanted_(job.checkpoint),
      path_(checkpoint_path(work_dir)),
      version_(job.version),
      comm_(comm),
      clock_(job.checkpoint_interval_s) {}

template <class T>
void WaveCheckpoints<T>::resume(voxelwave::WaveSolver<T>& solver, WaveRecords& records,
                                SolveProgress& progress) {
    clock_.restart(CheckpointClock::Clock::now());
    const voxelwave::VoxelModel& model = solver.model();
    const int lanes = solver.displacement().lanes();
    NodeField<T> now, before;
    double step = 0.0;
    if (comm_.rank() == 0 && std::filesystem::exists(path_)) {
        try {
            const h5::File file(path_, h5::File::Mode::Read);
            if (file.string_attribute("/", "format") != kFormat ||
                file.read_strings("source_key") != records.keys()) {
                throw Error(ErrorCode::InvalidArgument, path_ + ": is not of these sources");
            }
            const NodeField<T> like(model.nodes(), lanes);
            now = unpacked(file.read<T>("now", {numbers_of(like)}), like);
            before = unpacked(file.read<T>("before", {numbers_of(like)}), like);
            read_records(file, records);
            step = static_cast<double>(file.int_attribute("/", "step"));
        } catch (const Error& error) {
            progress.warnings.push_back(std::string(error.what()) +
                                        "; the pack begins at its first step");
        }
    }
    step = comm_.max(step);
    if (step == 0.0) {
        return;
    }
    const auto n_steps = static_cast<std::int64_t>(step);
    solver.resume(scatter_planes(now, solver.slab(), model, lanes, comm_),
                  scatter_planes(before, solver.slab(), model, lanes, comm_), n_steps);
    progress.resumed_step = static_cast<int>(n_steps);
}

template <class T>
void WaveCheckpoints<T>::write_if_due(const voxelwave::WaveSolver<T>& solver,
                                      const WaveRecords& records, SolveProgress& progress) {
    const auto begin = CheckpointClock::Clock::now();
    const bool first = comm_.rank() == 0;
    if (!wanted_ || comm_.max(first && clock_.due(begin) ? 1.0 : 0.0) == 0.0) {
        return;
    }
    const NodeField<T> now =
        gather_planes(solver.displacement(), solver.slab(), solver.model(), comm_);
    const NodeField<T> before =
        gather_planes(solver.before(), solver.slab(), solver.model(), comm_);
    try {
        if (first) {
            h5::write_atomically(path_, [&](h5::File& file) {
                file.set_attribute("/", "format", std::string(kFormat));
                file.set_attribute("/", "version", version_);
                file.set_attribute("/", "step", solver.n_steps());
                for (const auto& [name, field] : {std::pair("now", &now), {"before", &before}}) {
                    const std::vector<T> values = packed(*field);
                    file.write<T>(name, values, {values.size()});
                }
                write_records(file, records);
            });
            progress.checkpoint = path_;
        }
    } catch (const std::exception& cause) {
        if (!warned_) {  // once: a full disk stays full
            progress.warnings.push_back(std::string("no checkpoint: ") + cause.what());
        }
        warned_ = true;
    }
    clock_.wrote(begin, CheckpointClock::Clock::now());
}

template <class T>
void WaveCheckpoints<T>::remove() {
    if (comm_.rank() == 0) {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
}

template class WaveCheckpoints<double>;
template class WaveCheckpoints<float>;

}  // namespace kaname::jobs
