// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/voxel_waves/wave_checkpoint.hpp"

#include <utility>

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
    file.write<float>("samples", records.samples.samples(), {records.samples.samples().size()});
    for (std::size_t k = 0; k < records.snapshots.size(); ++k) {
        const io::WaveSnapshots& shots = records.snapshots[k];
        file.write<double>(group_of(k) + "snapshot", shots.times_s, {shots.times_s.size()});
        file.write<std::int64_t>(group_of(k) + "nodes",
                                 std::vector<std::int64_t>(shots.nodes.begin(), shots.nodes.end()),
                                 {3});
        file.write<float>(group_of(k) + "displacement", shots.displacement_m,
                          {shots.displacement_m.size()});
    }
}

void read_records(const h5::File& file, WaveRecords& records) {
    std::vector<io::WaveSnapshots> snapshots(records.snapshots.size());
    for (std::size_t k = 0; k < snapshots.size(); ++k) {
        snapshots[k].times_s = file.read<double>(group_of(k) + "snapshot", {h5::kAny});
        const auto nodes = file.read<std::int64_t>(group_of(k) + "nodes", {3});
        std::copy(nodes.begin(), nodes.end(), snapshots[k].nodes.begin());
        snapshots[k].displacement_m = file.read<float>(group_of(k) + "displacement", {h5::kAny});
    }
    records.samples.restore(file.read<float>("samples", {h5::kAny}));
    records.snapshots = std::move(snapshots);
}

}  // namespace

template <class T>
WaveCheckpoints<T>::WaveCheckpoints(const WaveJob& job, std::vector<std::string> keys,
                                    const std::string& work_dir, comm::Comm& comm)
    : comm_(comm), file_(job, kFormat, std::move(keys), work_dir, comm) {}

template <class T>
void WaveCheckpoints<T>::resume(voxelwave::WaveSolver<T>& solver, WaveRecords& records,
                                SolveProgress& progress) {
    const voxelwave::VoxelModel& model = solver.model();
    const int lanes = solver.displacement().lanes();
    NodeField<T> now, before;
    const std::int64_t step = file_.read(
        [&](const h5::File& file) {
            const NodeField<T> like(model.nodes(), lanes);
            now = unpacked(file.read<T>("now", {numbers_of(like)}), like);
            before = unpacked(file.read<T>("before", {numbers_of(like)}), like);
            read_records(file, records);
        },
        progress);
    if (step > 0) {
        solver.resume(scatter_planes(now, solver.slab(), model, lanes, comm_),
                      scatter_planes(before, solver.slab(), model, lanes, comm_), step);
    }
}

template <class T>
void WaveCheckpoints<T>::write_if_due(const voxelwave::WaveSolver<T>& solver,
                                      const WaveRecords& records, SolveProgress& progress) {
    if (!file_.due()) {
        return;
    }
    const NodeField<T> now =
        gather_planes(solver.displacement(), solver.slab(), solver.model(), comm_);
    const NodeField<T> before =
        gather_planes(solver.before(), solver.slab(), solver.model(), comm_);
    file_.write(
        solver.n_steps(),
        [&](h5::File& file) {
            for (const auto& [name, field] : {std::pair("now", &now), {"before", &before}}) {
                const std::vector<T> values = packed(*field);
                file.write<T>(name, values, {values.size()});
            }
            write_records(file, records);
        },
        progress);
}

template class WaveCheckpoints<double>;
template class WaveCheckpoints<float>;

}  // namespace kaname::jobs
