// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/wave_session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/jobs/voxel_fem/wave_model.hpp"
#include "worker/jobs/voxel_fem/wave_package.hpp"

namespace kaname::jobs {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
class WaveSession final : public SolveSession {
public:
    WaveSession(const WaveJob& job, std::string work_dir, comm::Comm& comm)
        : job_(job),
          work_dir_(std::move(work_dir)),
          comm_(comm),
          queue_(choose_queue(job.placement)),
          model_(build_wave_model(job)),
          setup_s_(seconds_since(start_)) {}

    [[nodiscard]] std::int64_t dof() const override { return 3 * model_.voxels.n_nodes(); }
    [[nodiscard]] double setup_s() const override { return setup_s_; }
    [[nodiscard]] double effort() const override { return 1.0; }
    [[nodiscard]] std::string element() const override {
        return voxelwave::is_orthogonal(job_.variant) ? "ovfem" : "vfem";
    }
    [[nodiscard]] std::string device() const override {
        return device_text(job_.placement, queue_);
    }
    [[nodiscard]] std::string time_text() const override {
        char text[96];
        std::snprintf(text, sizeof text, "%lld steps of %.4g s",
                      static_cast<long long>(model_.n_steps), model_.params.dt_s);
        return text;
    }
    PackOutcome solve(std::span<const std::string> source_ids,
                      const SolveObserver& observer) override;

private:
    [[nodiscard]] std::int64_t next_stop(std::int64_t step, std::int64_t stride) const;

    const Clock::time_point start_ = Clock::now();
    const WaveJob& job_;
    std::string work_dir_;
    comm::Comm& comm_;
    device::Queue queue_;
    WaveModel model_;
    double setup_s_;
};

/// The next step after which there is something to do beside recording.
template <class T>
std::int64_t WaveSession<T>::next_stop(std::int64_t step, std::int64_t stride) const {
    std::int64_t stop = std::min(model_.n_steps, step + stride);
    for (const std::int64_t snapshot : model_.snapshot_steps) {
        if (snapshot > step) {
            stop = std::min(stop, snapshot);
        }
    }
    return stop;
}

template <class T>
PackOutcome WaveSession<T>::solve(std::span<const std::string> ids, const SolveObserver& observer) {
    const auto begin = Clock::now();
    std::vector<voxelwave::PointSource> sources;
    SolveProgress progress;
    for (const std::size_t k : places_of(job_, ids)) {
        const WaveJob::Source& source = job_.sources[k];
        sources.push_back(
            {model_.sources_m[k], source.force_n, source.moment_nm, source.time, model_.parts[k]});
    }
    progress.source_ids = joined(ids);
    progress.packs = 1;
    progress.steps = static_cast<int>(model_.n_steps);
    voxelwave::WaveSolver<T> solver(model_.voxels, model_.params, sources, model_.receivers_m,
                                    queue_, &comm_);
    WaveRecords records(job_, model_, ids);
    WaveCheckpoints<T> checkpoints(job_, records.samples.keys(), work_dir_, comm_);
    checkpoints.resume(solver, records, progress);
    PackOutcome outcome;
    Stride stride(comm_, model_.n_steps);
    const auto advance = [&](SolveProgress& told) {
        if (solver.n_steps() >= model_.n_steps) {
            return false;
        }
        const auto since = Clock::now();
        const std::int64_t stop = next_stop(solver.n_steps(), stride.steps());
        const std::int64_t steps = stop - solver.n_steps();
        solver.run(steps, job_.every);
        records.samples.add(solver.take_record());
        if (std::ranges::count(model_.snapshot_steps, stop) > 0) {
            records.add_snapshot(voxelwave::gather_planes(solver.displacement(), solver.slab(),
                                                          model_.voxels, comm_),
                                 stop);
        }
        stride.took(seconds_since(since));
        told.step = static_cast<int>(stop);
        told.fraction = static_cast<double>(stop) / static_cast<double>(model_.n_steps);
        return true;
    };
    const auto checkpoint = [&](SolveProgress& told) {
        checkpoints.write_if_due(solver, records, told);
    };
    outcome.cancelled = !run_steps(advance, checkpoint, observer, progress, comm_);
    if (!outcome.cancelled) {
        write_pack(
            ids, work_dir_, comm_, [&](std::size_t lane) { return records.result(lane); }, outcome);
        outcome.solves = model_.n_steps;
    }
    checkpoints.remove();
    outcome.solve_s = seconds_since(begin);
    return outcome;
}

}  // namespace

std::unique_ptr<SolveSession> open_waves(const WaveJob& job, const std::string& work_dir,
                                         comm::Comm& comm) {
    if (job.single) {
        return std::make_unique<WaveSession<float>>(job, work_dir, comm);
    }
    return std::make_unique<WaveSession<double>>(job, work_dir, comm);
}

WaveRecords::WaveRecords(const WaveJob& job, const WaveModel& model,
                         std::span<const std::string> ids)
    : samples(job, ids), snapshots(ids.size()), job_(job), model_(model) {
    samples.add_rest();
}

template <class T>
void WaveRecords::add_snapshot(const voxelwave::NodeField<T>& displacement, std::int64_t step) {
    const int stride = job_.snapshot_stride;
    const auto nodes = displacement.nodes();
    if (nodes[0] == 0) {
        return;  // all planes are on another rank
    }
    for (std::size_t lane = 0; lane < snapshots.size(); ++lane) {
        io::WaveSnapshots& shots = snapshots[lane];
        shots.times_s.push_back(static_cast<double>(step) * model_.params.dt_s);
        for (int axis = 0; axis < 3; ++axis) {
            shots.nodes[axis] = (nodes[axis] - 1) / stride + 1;
        }
        for (int z = 0; z < nodes[2]; z += stride) {
            for (int y = 0; y < nodes[1]; y += stride) {
                for (int x = 0; x < nodes[0]; x += stride) {
                    for (int c = 0; c < 3; ++c) {
                        shots.displacement_m.push_back(static_cast<float>(
                            displacement.of(c, x, y, z, static_cast<int>(lane))));
                    }
                }
            }
        }
    }
}

io::WaveResult WaveRecords::result(std::size_t lane) const {
    io::WaveResult result = samples.result(lane, job_.every * model_.params.dt_s);
    result.snapshots = snapshots[lane];
    return result;
}

template void WaveRecords::add_snapshot<double>(const voxelwave::NodeField<double>&, std::int64_t);
template void WaveRecords::add_snapshot<float>(const voxelwave::NodeField<float>&, std::int64_t);

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
