// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/clustered_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/aderdg/rank_gather.hpp"
#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/base/error.hpp"
#include "solvers/mesh/partition.hpp"

namespace kaname::aderdg {

EnergyWeights EnergyWeights::of(const Solid& solid, double volume_m3) {
    const double velocity = 0.5 * volume_m3 * solid.density_kg_m3;
    if (solid.mu_pa == 0.0) {
        return {velocity, 0.0, 0.5 * volume_m3 / (9.0 * solid.lambda_pa)};
    }
    const double stress = 0.5 * volume_m3 / (2.0 * solid.mu_pa);
    return {velocity, stress,
            -stress * solid.lambda_pa / (3.0 * solid.lambda_pa + 2.0 * solid.mu_pa)};
}

ElementEnergy EnergyWeights::energy(const double* squares, std::size_t stride) const {
    const auto of = [&](int field) { return squares[static_cast<std::size_t>(field) * stride]; };
    return {
        velocity * of(Squares::kVelocity),
        stress * (of(Squares::kNormal) + 2.0 * of(Squares::kShear)) + trace * of(Squares::kTrace)};
}

namespace {

/// int |s| dt of the run, by the midpoint rule.
double impulse_s(const BlockSource& source, double end_s) {
    constexpr int kParts = 256;
    const double from_s = std::max(0.0, source.from_s), until_s = std::min(end_s, source.until_s);
    double sum = 0.0;
    for (int k = 0; k < kParts && until_s > from_s; ++k) {
        sum += std::abs(source.rate(from_s + (k + 0.5) / kParts * (until_s - from_s)));
    }
    return sum * std::max(0.0, until_s - from_s) / kParts;
}

/// Energy of what a source with the rate 1 adds to its element in a second [J/s2].
double energy_of_rate(const BlockSource& source, const EnergyWeights& weights,
                      std::span<const double> mass) {
    const std::vector<double>& shape = source.shape;
    double square = 0.0;  // int (sum_k shape_k B_k)^2 over a tet of volume 1
    for (std::size_t i = 0; i < shape.size(); ++i) {
        for (std::size_t j = 0; j < shape.size(); ++j) {
            square += shape[i] * mass[i * shape.size() + j] * shape[j];
        }
    }
    const auto& a = source.amount;
    std::array<double, Squares::kFields> squares{};
    squares[Squares::kNormal] = square * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    squares[Squares::kShear] = square * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
    squares[Squares::kTrace] = square * (a[0] + a[1] + a[2]) * (a[0] + a[1] + a[2]);
    squares[Squares::kVelocity] = square * (a[6] * a[6] + a[7] * a[7] + a[8] * a[8]);
    const ElementEnergy energy = weights.energy(squares.data(), 1);
    return energy.kinetic_j + energy.elastic_j;
}

/// tau^2 A^(3/2)/mu of faults with friction [J]: their whole shear traction relieved over their
/// area, with the slip of a crack of that size.
double energy_of_faults(const WaveModel& model) {
    if (model.fault.laws.empty()) {
        return 0.0;
    }
    double area_m2 = 0.0, traction_pa = 0.0;
    for (const mesh::FaultFace& face : model.mesh.fault_faces) {
        const Vec3 &a = model.mesh.xyz[face.vertices[0]], &b = model.mesh.xyz[face.vertices[1]],
                   &c = model.mesh.xyz[face.vertices[2]];
        const Vec3 across = cross(b - a, c - a);
        const Vec3 normal = (1.0 / norm(across)) * across;
        area_m2 += 0.5 * norm(across);
        const rupture::FaultPoint point =
            model.fault.at({static_cast<int>(face.fault), (1.0 / 3.0) * (a + b + c), normal});
        const Vec3 traction = point.traction_pa + point.nucleation_pa;
        const Vec3 shear = traction - dot(traction, normal) * normal;
        traction_pa = std::max(traction_pa, norm(shear));
    }
    double mu_pa = std::numeric_limits<double>::infinity();
    for (const Solid& solid : model.solids) {
        mu_pa = solid.mu_pa > 0.0 ? std::min(mu_pa, solid.mu_pa) : mu_pa;
    }
    return traction_pa * traction_pa * std::pow(area_m2, 1.5) / mu_pa;
}

}  // namespace

std::vector<double> given_energies_j(const WaveModel& model, const TetTopology& topology,
                                     const Layout& layout, std::span<const BlockSource> own,
                                     const WaveParams& params, comm::Comm& comm) {
    // ||q||^2 = 2 E grows by no more than a source's own norm: ||q|| <= sum_s ||g_s|| int |s| dt.
    const std::vector<double> mass = mass_matrix(params.order - 1);
    std::map<std::int64_t, std::size_t> places;
    std::vector<double> rows;  // source, lane, energy of its rate, impulse
    for (const BlockSource& source : own) {
        const std::int64_t tet =
            layout.tets[std::int64_t(source.block) * layout.per_block + source.element];
        const EnergyWeights weights =
            EnergyWeights::of(model.solids[model.mesh.material[tet]],
                              TetShape::of(corners_of(model, topology, tet)).volume_m3);
        const auto [at, fresh] = places.try_emplace(source.source, rows.size());
        if (fresh) {
            rows.insert(rows.end(),
                        {static_cast<double>(source.source), static_cast<double>(source.lane), 0.0,
                         impulse_s(source, params.end_s)});
        }
        rows[at->second + 2] += energy_of_rate(source, weights, mass);
    }
    std::map<std::int64_t, std::array<double, 3>> sources;  // lane, energy, impulse
    for (const std::vector<double>& of_rank :
         gather_all<double>(comm, std::span<const double>(rows))) {
        for (std::size_t k = 0; k < of_rank.size(); k += 4) {
            auto& source = sources[static_cast<std::int64_t>(of_rank[k])];
            source = {of_rank[k + 1], source[1] + of_rank[k + 2], of_rank[k + 3]};
        }
    }
    std::vector<double> norms(params.lanes);
    for (const auto& [number, source] : sources) {
        norms[static_cast<std::size_t>(source[0])] += std::sqrt(2.0 * source[1]) * source[2];
    }
    const double of_faults = std::sqrt(2.0 * energy_of_faults(model));
    std::vector<double> given_j;
    for (const double norm : norms) {
        given_j.push_back(0.5 * (norm + of_faults) * (norm + of_faults));
    }
    return given_j;
}

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
