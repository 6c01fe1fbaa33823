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
    if (!std::filesystem::exists(path_)) {
        return;
    }
    try {
        const h5::File file(path_, h5::File::Mode::Read);
        if (file.string_attribute("/", "format") != kFormat ||
            file.read_strings("source_key") != records.keys()) {
            throw Error(ErrorCode::InvalidArgument, path_ + ": is not of these sources");
        }
        const auto now = unpacked(file.read<T>("now"), solver.displacement());
        const auto before = unpacked(file.read<T>("before"), solver.displacement());
        const std::int64_t step = file.int_attribute("/", "step");
        read_records(file, records);
        solver.resume(now, before, step);
        progress.resumed_step = static_cast<int>(step);
    } catch (const Error& error) {
        progress.warnings.push_back(std::string(error.what()) +
                                    "; the pack begins at its first step");
    }
}

template <class T>
void WaveCheckpoints<T>::write_if_due(const voxelwave::WaveSolver<T>& solver,
                                      const WaveRecords& records, SolveProgress& progress) {
    const auto begin = CheckpointClock::Clock::now();
    if (!wanted_ || !clock_.due(begin)) {
        return;
    }
    try {
        h5::write_atomically(path_, [&](h5::File& file) {
            file.set_attribute("/", "format", std::string(kFormat));
            file.set_attribute("/", "version", version_);
            file.set_attribute("/", "step", solver.n_steps());
            const std::vector<T> now = packed(solver.displacement());
            const std::vector<T> before = packed(solver.before());
            file.write<T>("now", now, {now.size()});
            file.write<T>("before", before, {before.size()});
            write_records(file, records);
        });
        progress.checkpoint = path_;
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
