// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/wave_solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/element_energy.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/gauss.hpp"
#include "solvers/aderdg/rank_gather.hpp"
#include "solvers/aderdg/setup_checks.hpp"
#include "solvers/base/error.hpp"
#include "solvers/mesh/partition.hpp"

namespace kaname::aderdg {
namespace {

int lanes_of(int sources) {
    return sources == 3 ? 4 : sources;
}

Vec3 place_at(const std::array<Vec3, 4>& corners, const std::array<double, 4>& lambda) {
    Vec3 x;
    for (int v = 0; v < 4; ++v) {
        x += lambda[v] * corners[v];
    }
    return x;
}

/// Values at a rule's points, [points][modes].
std::vector<std::vector<double>> bernstein_of(const TetRule& rule, int degree) {
    std::vector<std::vector<double>> all;
    for (const TetRule::Point& p : rule.points) {
        all.push_back(bernstein_at(degree, p.lambda));
    }
    return all;
}

/// Updates of each tet in a macro step.
std::vector<std::int32_t> work_of(const Clustering& clustering) {
    std::vector<std::int32_t> work;
    for (const std::uint8_t c : clustering.cluster) {
        work.push_back(std::int32_t{1} << (clustering.n_clusters - 1 - c));
    }
    return work;
}

class ClusteredSolver final : public WaveSolver {
public:
    ClusteredSolver(const WaveModel& model, const WaveParams& params, const WavePoints& points,
                    comm::Comm& comm, const device::Queue& queue)
        : model_(model),
          params_(params),
          comm_(comm),
          topology_(TetTopology::of(model_)),
          clustering_(cluster(largest_steps(model_, topology_, params_), topology_, params_)) {
        check_points(model_, topology_, params_, points);
        const std::vector<std::int32_t> part = mesh::partition_tets(
            model_.mesh.xyz, model_.mesh.tets, comm_.size(), work_of(clustering_));
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
        receivers_ =
            owners(setup.points.receivers, points.receivers.size() + 2 * points.strains.size());
        peaks_ = owners(setup.points.peaks, points.peaks.size());
        engine_ = make_engine(std::move(setup), queue);
        clusters_.step_s = clustering_.step_s;
        clusters_.elements.resize(clustering_.n_clusters);
        for (const std::uint8_t c : clustering_.cluster) {
            ++clusters_.elements[c];
        }
    }

    [[nodiscard]] const Clusters& clusters() const override { return clusters_; }
    [[nodiscard]] std::int64_t macro_steps() const override { return clustering_.macro_steps; }
    [[nodiscard]] std::int64_t macro_steps_done() const override { return done_; }
    [[nodiscard]] double time_s() const override {
        return static_cast<double>(done_) * clusters_.macro_step_s();
    }
    void advance(std::int64_t macro_steps) override;
    void start_from(const std::function<std::array<double, 9>(const Vec3&)>& unknowns) override;
    void visit(
        int lane, int points_along,
        const std::function<void(const Vec3&, double, std::span<const double>)>& visit) override;
    [[nodiscard]] std::vector<float> take_record() override;
    [[nodiscard]] std::int64_t samples_taken() const override { return samples_; }
    [[nodiscard]] std::vector<float> velocity_at(std::span<const PointInTet> points) override;
    [[nodiscard]] std::vector<float> peak_velocity() override;
    [[nodiscard]] double energy_j(int lane) override;
    [[nodiscard]] std::vector<std::byte> state() override;
    void resume(std::span<const std::byte> state) override;

private:
    /// Clusters 0..m that begin or end a step at a tick.
    [[nodiscard]] int level(std::int64_t tick) const {
        return tick == 0 ? clustering_.n_clusters - 1
                         : std::min(clustering_.n_clusters - 1,
                                    std::countr_zero(static_cast<std::uint64_t>(tick)));
    }
    [[nodiscard]] std::vector<BlockRange> ranges(int m, bool copy, bool interior) const;
    template <class Body>
    void in_batches(const std::vector<BlockRange>& ranges, const Body& body) const {
        const std::span<const BlockRange> all(ranges);
        for (std::size_t k = 0; k < all.size() && params_.separate_clusters; ++k) {
            body(all.subspan(k, 1));
        }
        if (!params_.separate_clusters) {
            body(all);
        }
    }
    void predict(std::int64_t tick);
    void start_exchange(int m);
    void finish_exchange(int m);
    [[nodiscard]] std::size_t element_numbers() const {
        return static_cast<std::size_t>(tet_modes(params_.order - 1)) *
               (9 + 6 * model_.solids.front().mechanisms.size());
    }
    template <class Body>
    void for_own_elements(const Body& body);
    /// What a state must agree in to be gone on with.
    [[nodiscard]] std::vector<std::int64_t> kind() const;
    /// Who has which of n points: [ranks] of their numbers.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> owners(
        const std::vector<BlockReceiver>& own, std::size_t n) const;

    WaveModel model_;
    WaveParams params_;
    comm::Comm& comm_;
    TetTopology topology_;
    Clustering clustering_;
    Clusters clusters_;
    Layout layout_;
    std::vector<std::vector<std::int64_t>> receivers_, peaks_;
    std::unique_ptr<Engine> engine_;
    std::vector<comm::Bytes> sends_, receives_;
    std::int64_t done_ = 0, samples_ = 0;
};

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
        return;
    }
    engine_->predict(ranges(m, true, false), tick);
    start_exchange(m);
    engine_->predict(ranges(m, false, true), tick);
    finish_exchange(m);
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

void ClusteredSolver::start_from(
    const std::function<std::array<double, 9>(const Vec3&)>& unknowns) {
    const int N = params_.order - 1;
    const std::vector<double> mass = mass_matrix(N);
    const TetRule rule(N + 3);
    const std::vector<std::vector<double>> values_at = bernstein_of(rule, N);
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        const std::array<Vec3, 4> corners = corners_of(model_, topology_, tet);
        std::array<std::vector<double>, 9> right;
        for (auto& r : right) {
            r.assign(tet_modes(N), 0.0);
        }
        for (std::size_t i = 0; i < rule.points.size(); ++i) {
            const TetRule::Point& p = rule.points[i];
            const std::array<double, 9> q = unknowns(place_at(corners, p.lambda));
            const std::vector<double>& b = values_at[i];
            for (int c = 0; c < 9; ++c) {
                for (std::size_t k = 0; k < b.size(); ++k) {
                    right[c][k] += p.weight * q[c] * b[k];
                }
            }
        }
        std::vector<double> values(element_numbers() * lanes_of(params_.lanes));
        for (int c = 0; c < 9; ++c) {
            const std::vector<double> q = solved(mass, right[c]);
            for (int lane = 0; lane < params_.lanes; ++lane) {
                for (std::size_t k = 0; k < q.size(); ++k) {
                    values[lane * element_numbers() + 9 * k + c] = q[k];
                }
            }
        }
        engine_->set_unknowns(block, e, values);
    });
}

void ClusteredSolver::visit(
    int lane, int points_along,
    const std::function<void(const Vec3&, double, std::span<const double>)>& visit) {
    const TetRule rule(points_along);
    const std::vector<std::vector<double>> values_at = bernstein_of(rule, params_.order - 1);
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        const std::array<Vec3, 4> corners = corners_of(model_, topology_, tet);
        const double volume_m3 = TetShape::of(corners).volume_m3;
        const std::vector<double> all = engine_->unknowns(block, e);
        const auto q = std::span(all).subspan(lane * element_numbers(), element_numbers());
        for (std::size_t i = 0; i < rule.points.size(); ++i) {
            const TetRule::Point& p = rule.points[i];
            const std::vector<double>& b = values_at[i];
            std::array<double, 9> at{};
            for (std::size_t k = 0; k < b.size(); ++k) {
                for (int c = 0; c < 9; ++c) {
                    at[c] += b[k] * q[9 * k + c];
                }
            }
            visit(place_at(corners, p.lambda), p.weight * volume_m3, at);
        }
    });
}

std::vector<float> ClusteredSolver::take_record() {
    const int lanes = lanes_of(params_.lanes);
    const std::vector<float> own = engine_->take_samples();
    const auto all = gather_all<float>(comm_, own);
    std::size_t n = 0, n_receivers = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
        n_receivers += receivers_[r].size();
        if (!receivers_[r].empty()) {
            n = all[r].size() / (3 * lanes * receivers_[r].size());
        }
    }
    samples_ += static_cast<std::int64_t>(n);
    std::vector<float> record;
    if (comm_.rank() != 0) {
        return record;
    }
    record.resize(n * params_.lanes * n_receivers * 3);
    for (std::size_t r = 0; r < all.size(); ++r) {
        const std::size_t here = receivers_[r].size();
        for (std::size_t s = 0; s < n; ++s) {
            for (int lane = 0; lane < params_.lanes; ++lane) {
                for (std::size_t k = 0; k < here; ++k) {
                    std::copy_n(
                        &all[r][((s * lanes + lane) * here + k) * 3], 3,
                        &record[((s * params_.lanes + lane) * n_receivers + receivers_[r][k]) * 3]);
                }
            }
        }
    }
    return record;
}

std::vector<float> ClusteredSolver::peak_velocity() {
    const int lanes = lanes_of(params_.lanes);
    const auto all = gather_all<double>(comm_, engine_->peaks());
    std::size_t n = 0;
    for (const auto& numbers : peaks_) {
        n += numbers.size();
    }
    std::vector<float> peaks;
    if (comm_.rank() != 0) {
        return peaks;
    }
    peaks.resize(params_.lanes * n * 2);
    for (std::size_t r = 0; r < all.size(); ++r) {
        for (std::size_t k = 0; k < peaks_[r].size(); ++k) {
            for (int lane = 0; lane < params_.lanes; ++lane) {
                for (std::size_t c = 0; c < 2; ++c) {
                    peaks[(lane * n + peaks_[r][k]) * 2 + c] =
                        static_cast<float>(all[r][(k * lanes + lane) * 2 + c]);
                }
            }
        }
    }
    return peaks;
}

template <class Body>
void ClusteredSolver::for_own_elements(const Body& body) {
    for (std::int64_t s = 0; s < std::ssize(layout_.tets); ++s) {
        if (layout_.tets[s] >= 0) {
            body(layout_.tets[s], static_cast<std::int32_t>(s / layout_.per_block),
                 static_cast<int>(s % layout_.per_block));
        }
    }
}

std::vector<float> ClusteredSolver::velocity_at(std::span<const PointInTet> points) {
    const int N = params_.order - 1;
    std::vector<std::pair<std::int32_t, int>> place(topology_.tets.size(), {-1, 0});
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) { place[tet] = {block, e}; });
    std::vector<double> values(points.size() * params_.lanes * 3);
    std::int64_t last = -1;
    std::vector<double> q;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const auto [block, e] = place[points[k].tet];
        if (block < 0) {
            continue;
        }
        if (points[k].tet != last) {
            q = engine_->unknowns(block, e);
            last = points[k].tet;
        }
        const std::vector<double> b = bernstein_at(
            N, barycentric(corners_of(model_, topology_, points[k].tet), points[k].at_m));
        for (int lane = 0; lane < params_.lanes; ++lane) {
            for (std::size_t m = 0; m < b.size(); ++m) {
                for (std::size_t c = 0; c < 3; ++c) {
                    values[(lane * points.size() + k) * 3 + c] +=
                        b[m] * q[lane * element_numbers() + 9 * m + 6 + c];
                }
            }
        }
    }
    comm_.sum(std::span<double>(values));
    return comm_.rank() == 0 ? std::vector<float>(values.begin(), values.end())
                             : std::vector<float>();
}

double ClusteredSolver::energy_j(int lane) {
    const std::vector<double> mass = mass_matrix(params_.order - 1);
    double sum = 0.0;
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        const std::vector<double> q = engine_->unknowns(block, e);
        sum += element_energy_j(std::span(q).subspan(lane * element_numbers(), element_numbers()),
                                mass, model_.solids[model_.mesh.material[tet]],
                                TetShape::of(corners_of(model_, topology_, tet)).volume_m3);
    });
    return comm_.sum(sum);
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
            size_of(receivers_),
            size_of(peaks_)};
}

std::vector<std::byte> ClusteredSolver::state() {
    std::vector<std::int64_t> all = kind();
    all.insert(all.begin(), {done_, samples_});
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
    return writer.take();
}

void ClusteredSolver::resume(std::span<const std::byte> state) {
    StateReader reader(state);
    const std::vector<std::int64_t> head = reader.head();
    const std::vector<std::int64_t> wanted = kind();
    if (head.size() != wanted.size() + 2 ||
        !std::equal(wanted.begin(), wanted.end(), head.begin() + 2)) {
        throw Error(
            ErrorCode::InvalidArgument,
            "a state of another order, precision, mesh, number of sources, steps or points");
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
    const std::vector<double> moved = own(receivers_, head[head.size() - 2], 3 * lanes);
    const std::vector<double> peaks = own(peaks_, head.back(), 2 * lanes);
    reader.end();
    done_ = head[0];
    samples_ = head[1];
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        engine_->set_unknowns(block, e, std::span(values).subspan(tet * width, width));
    });
    engine_->set_points(samples_, moved, peaks);
}

}  // namespace

std::unique_ptr<WaveSolver> make_wave_solver(const WaveModel& model, const WaveParams& params,
                                             const WavePoints& points, comm::Comm& comm,
                                             const device::Queue& queue) {
    check_setup(model, params);
    if (!points.strains.empty() && queue.backend() == device::Backend::Cuda) {
        throw ValidationError(
            std::vector<Violation>{{"strains", "must be empty: a GPU records none; take the CPU"}});
    }
    return std::make_unique<ClusteredSolver>(model, params, points, comm, queue);
}

Clusters find_clusters(const WaveModel& model, const WaveParams& params) {
    check_setup(model, params);
    const TetTopology topology = TetTopology::of(model);
    const Clustering found = cluster(largest_steps(model, topology, params), topology, params);
    Clusters clusters;
    clusters.step_s = found.step_s;
    clusters.elements.resize(found.n_clusters);
    for (const std::uint8_t c : found.cluster) {
        ++clusters.elements[c];
    }
    return clusters;
}

double bytes_of(const WaveModel& model, const WaveParams& params) {
    const int N = params.order - 1, lanes = lanes_of(params.lanes);
    const double mechanisms =
        model.solids.empty() ? 0.0 : static_cast<double>(model.solids.front().mechanisms.size());
    const double number = params.precision == Precision::Single ? 4.0 : 8.0;
    const double each = tet_modes(N) * (9.0 + 6.0 * mechanisms) + 4.0 * 6.0 * face_modes(N) + 45.0 +
                        4.0 * mechanisms;
    const double topology = 300.0;  // neighbours, records, the mesh
    return static_cast<double>(model.mesh.tets.size()) * (each * lanes * number + topology);
}

}  // namespace kaname::aderdg
