// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/clustered_solver.hpp"

#include "solvers/aderdg/fault_pairs.hpp"
#include "solvers/aderdg/given_energy.hpp"
#include "solvers/aderdg/rank_gather.hpp"
#include "solvers/aderdg/setup_checks.hpp"
#include "solvers/base/error.hpp"
#include "solvers/mesh/partition.hpp"

namespace kaname::aderdg {
namespace {

/// Updates of each tet in a macro step.
std::vector<std::int32_t> work_of(const Clustering& clustering) {
    std::vector<std::int32_t> work;
    for (const std::uint8_t c : clustering.cluster) {
        work.push_back(std::int32_t{1} << (clustering.n_clusters - 1 - c));
    }
    return work;
}

}  // namespace

ClusteredSolver::ClusteredSolver(const WaveModel& model, const WaveParams& params,
                                 const WavePoints& points, comm::Comm& comm,
                                 const device::Queue& queue)
    : model_(model),
      params_(params),
      comm_(comm),
      topology_(TetTopology::of(model_)),
      clustering_(cluster(largest_steps(model_, topology_, params_), topology_, params_)),
      fault_rule_(fault_rule(params_.order - 1)) {
    check_points(model_, topology_, params_, points);
    std::vector<std::int32_t> part =
        mesh::partition_tets(model_.mesh.xyz, model_.mesh.tets, comm_.size(), work_of(clustering_));
    keep_pairs_together(topology_, part);
    const int lanes = lanes_of(params_.lanes);
    EngineSetup setup{model_,
                      topology_,
                      params_,
                      clustering_.step_s,
                      lanes,
                      Layout::of(model_, topology_, clustering_, part, comm_.rank(),
                                 elements_per_block(params_.precision, lanes, queue)),
                      {}};
    setup.points = BlockPoints::of(model_, topology_, setup.layout, points, params_.order);
    layout_ = setup.layout;
    asked_for_ = setup.points.asked_for;
    n_asked_for_ = points.receivers.size() + 2 * points.strains.size();
    receivers_ = owners(setup.points.receivers, asked_for_.size());
    peaks_ = owners(setup.points.peaks, points.peaks.size());
    given_j_ = given_energies_j(model_, topology_, layout_, setup.points.sources, params_, comm_);
    engine_ = make_engine(std::move(setup), queue);
    clusters_.step_s = clustering_.step_s;
    clusters_.elements.resize(clustering_.n_clusters);
    for (const std::uint8_t c : clustering_.cluster) {
        ++clusters_.elements[c];
    }
}

std::vector<std::vector<std::int64_t>> ClusteredSolver::owners(
    const std::vector<BlockReceiver>& own, std::size_t n) const {
    std::vector<std::int64_t> mine;
    for (const BlockReceiver& r : own) {
        mine.push_back(r.index);
    }
    auto all = gather_all<std::int64_t>(comm_, mine);
    std::size_t found = 0;
    for (const auto& numbers : all) {
        found += numbers.size();
    }
    if (found != n) {
        throw Error(ErrorCode::Internal, "points without an element");
    }
    return all;
}

std::vector<BlockRange> ClusteredSolver::ranges(int m, bool copy, bool interior) const {
    std::vector<BlockRange> all;
    for (int c = 0; c <= m; ++c) {
        const std::int32_t begin = copy ? layout_.first[c] : layout_.copy_end[c];
        const std::int32_t end = interior ? layout_.first[c + 1] : layout_.copy_end[c];
        if (begin < end) {
            all.push_back({c, begin, end});
        }
    }
    return all;
}

void ClusteredSolver::start_exchange(int m) {
    std::vector<comm::Message> sends, receives;
    sends_.resize(layout_.peers.size());
    receives_.resize(layout_.peers.size());
    for (std::size_t p = 0; p < layout_.peers.size(); ++p) {
        const Layout::Peer& peer = layout_.peers[p];
        sends_[p].resize(peer.sends[m].size() * engine_->record_bytes());
        receives_[p].resize(peer.receives[m].size() * engine_->record_bytes());
        engine_->read_records(peer.sends[m], sends_[p]);
        if (!sends_[p].empty()) {
            sends.push_back({peer.rank, sends_[p]});
        }
        if (!receives_[p].empty()) {
            receives.push_back({peer.rank, receives_[p]});
        }
    }
    comm_.start_exchange(sends, receives);
}

void ClusteredSolver::finish_exchange(int m) {
    comm_.finish_exchange();
    for (std::size_t p = 0; p < layout_.peers.size(); ++p) {
        engine_->write_records(layout_.peers[p].receives[m], receives_[p]);
    }
}

/// All clusters that begin a step together are one batch; what other ranks need comes first and
/// travels meanwhile.
void ClusteredSolver::predict(std::int64_t tick) {
    const int m = level(tick);
    if (layout_.peers.empty()) {
        in_batches(ranges(m, true, true), [&](auto batch) { engine_->predict(batch, tick); });
    } else {
        engine_->predict(ranges(m, true, false), tick);
        start_exchange(m);
        engine_->predict(ranges(m, false, true), tick);
        finish_exchange(m);
    }
    engine_->solve_conditions(m, tick);
}

void ClusteredSolver::advance(std::int64_t macro_steps) {
    const std::int64_t ticks = std::int64_t{1} << (clustering_.n_clusters - 1);
    const std::int64_t until = std::min(done_ + macro_steps, clustering_.macro_steps);
    for (; done_ < until; ++done_) {
        for (std::int64_t k = done_ * ticks; k < (done_ + 1) * ticks; ++k) {
            predict(k);
            in_batches(ranges(level(k + 1), true, true),
                       [&](auto batch) { engine_->correct(batch, k + 1); });
        }
    }
    engine_->finish();
}

std::vector<std::int64_t> ClusteredSolver::kind() const {
    const auto size_of = [](const std::vector<std::vector<std::int64_t>>& owners) {
        std::int64_t n = 0;
        for (const auto& numbers : owners) {
            n += std::ssize(numbers);
        }
        return n;
    };
    return {params_.order,
            params_.precision == Precision::Single ? 1 : 2,
            lanes_of(params_.lanes),
            std::ssize(topology_.tets),
            static_cast<std::int64_t>(element_numbers()),
            clustering_.n_clusters,
            clustering_.macro_steps,
            yielding(),
            surface_faces(),
            size_of(receivers_),
            size_of(peaks_),
            fault_faces(),
            outlets()};
}

std::vector<std::byte> ClusteredSolver::state() {
    std::vector<std::int64_t> all = kind();
    all.insert(all.begin(), {done_, samples_, fault_samples_});
    StateWriter writer(comm_, all);
    std::vector<std::int64_t> tets;
    std::vector<double> values;
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        tets.push_back(tet);
        const std::vector<double> q = engine_->unknowns(block, e);
        values.insert(values.end(), q.begin(), q.end());
    });
    writer.add(tets, values, params_.precision == Precision::Single);
    writer.add(receivers_[comm_.rank()], engine_->moved(), false);
    writer.add(peaks_[comm_.rank()], engine_->peaks(), false);
    std::vector<std::int64_t> faces;
    const std::vector<double> faults = own_faults(faces);
    writer.add(faces, faults, false);
    std::vector<std::int64_t> outlets;
    const std::vector<double> outflow = engine_->outflow(outlets);
    writer.add(outlets, outflow, false);
    std::vector<std::int64_t> yielding, surface;
    const std::vector<double> yielded = own_yielded(yielding);
    writer.add(yielding, yielded, false);
    const std::vector<double> heights = engine_->heights(surface);
    writer.add(surface, heights, false);
    return writer.take();
}

void ClusteredSolver::resume(std::span<const std::byte> state) {
    StateReader reader(state);
    const std::vector<std::int64_t> head = reader.head();
    const std::vector<std::int64_t> wanted = kind();
    constexpr std::size_t kCounts = 3;  // done, samples, the fault's samples
    if (head.size() != wanted.size() + kCounts ||
        !std::equal(wanted.begin(), wanted.end(), head.begin() + kCounts)) {
        throw Error(ErrorCode::InvalidArgument,
                    "a state of another order, precision, mesh, number of sources, steps, points "
                    "or faults");
    }
    const std::size_t lanes = lanes_of(params_.lanes), width = element_numbers() * lanes;
    const auto values =
        reader.next(topology_.tets.size() * width, params_.precision == Precision::Single);
    const auto own = [&](const std::vector<std::vector<std::int64_t>>& owners, std::int64_t n,
                         std::size_t each) {
        const auto all = reader.next(n * each, false);
        std::vector<double> mine;
        for (const std::int64_t k : owners[comm_.rank()]) {
            mine.insert(mine.end(), all.begin() + k * each, all.begin() + (k + 1) * each);
        }
        return mine;
    };
    const std::size_t n = head.size();
    const std::vector<double> moved = own(receivers_, head[n - 4], 3 * lanes);
    const std::vector<double> peaks = own(peaks_, head[n - 3], 2 * lanes);
    const std::vector<double> faults = reader.next(fault_faces() * fault_numbers(), false);
    const std::vector<double> outflow = reader.next(outlets(), false);
    const std::vector<double> yielded = reader.next(yielding() * Yielded::kFields, false);
    const std::vector<double> heights = reader.next(surface_faces() * height_numbers(), false);
    reader.end();
    done_ = head[0];
    samples_ = head[1];
    fault_samples_ = head[2];
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        engine_->set_unknowns(block, e, std::span(values).subspan(tet * width, width));
        if (!yielded.empty()) {
            engine_->set_yielded(
                block, e, std::span(yielded).subspan(tet * Yielded::kFields, Yielded::kFields));
        }
    });
    engine_->set_points(samples_, moved, peaks);
    set_faults(faults);
    engine_->set_outflow(outflow);
    engine_->set_heights(heights);
}

}  // namespace kaname::aderdg
