// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "solvers/aderdg/clustered_solver.hpp"
#include "solvers/aderdg/rank_gather.hpp"
#include "solvers/base/error.hpp"

// Members of ClusteredSolver that concern faults, and its energy balance, are defined here.
namespace kaname::aderdg {

using rupture::Kept;

std::vector<double> ClusteredSolver::own_faults(std::vector<std::int64_t>& numbers) {
    std::vector<double> values;
    EngineFaults* faults = engine_->faults();
    if (faults == nullptr) {
        return values;
    }
    for (std::size_t k = 0; k < faults->faces().size(); ++k) {
        numbers.push_back(faults->faces()[k].face);
        const std::vector<double> kept = faults->kept(static_cast<std::int64_t>(k));
        for (int field = 0; field < Kept::kFields; ++field) {
            const auto first = kept.begin() + field * fault_rule_.padded();
            values.insert(values.end(), first, first + fault_rule_.n_points());
        }
    }
    return values;
}

void ClusteredSolver::set_faults(std::span<const double> values) {
    EngineFaults* faults = engine_->faults();
    if (faults == nullptr) {
        return;
    }
    const int n = fault_rule_.n_points(), padded = fault_rule_.padded();
    for (std::size_t k = 0; k < faults->faces().size(); ++k) {
        const auto row = values.subspan(faults->faces()[k].face * fault_numbers(), fault_numbers());
        std::vector<double> kept;
        for (int field = 0; field < Kept::kFields; ++field) {
            const auto of = row.subspan(static_cast<std::size_t>(field) * n, n);
            kept.insert(kept.end(), of.begin(), of.end());
            kept.insert(kept.end(), padded - n, of.back());
        }
        faults->set_kept(static_cast<std::int64_t>(k), kept);
    }
    const std::function<std::vector<double>(std::int64_t)> kept = [&](std::int64_t k) {
        return faults->kept(k);
    };
    faults->record().resume(fault_samples_, time_s(), kept);
}

std::int64_t ClusteredSolver::outlets() const {
    if (!model_.balances_energy()) {
        return 0;
    }
    const std::vector<std::int64_t> numbers = absorbing_faces(topology_);
    return std::ranges::count_if(numbers, [](std::int64_t k) { return k >= 0; });
}

FaultField ClusteredSolver::fault() {
    FaultField field;
    std::vector<std::int64_t> numbers;
    const std::vector<double> values = own_faults(numbers);
    if (fault_faces() == 0) {
        return field;
    }
    const auto all_numbers = gather_all<std::int64_t>(comm_, numbers);
    const auto all_values = gather_all<double>(comm_, values);
    if (comm_.rank() != 0) {
        return field;
    }
    field.points = fault_rule_.points;
    field.weights = fault_rule_.weights;
    field.values.resize(fault_faces() * fault_numbers());
    for (std::size_t r = 0; r < all_numbers.size(); ++r) {
        for (std::size_t k = 0; k < all_numbers[r].size(); ++k) {
            std::copy_n(all_values[r].begin() + k * fault_numbers(), fault_numbers(),
                        field.values.begin() + all_numbers[r][k] * fault_numbers());
        }
    }
    return field;
}

std::vector<float> ClusteredSolver::take_fault_record() {
    EngineFaults* faults = engine_->faults();
    std::vector<float> record;
    if (faults == nullptr || model_.fault.receivers.empty()) {
        return record;
    }
    const std::vector<float> own = faults->record().take(time_s());
    const auto all = gather_all<float>(comm_, own);
    const auto numbers = gather_all<std::int64_t>(comm_, faults->record().numbers());
    const std::int64_t n = faults->record().samples() - fault_samples_;
    fault_samples_ += n;
    if (comm_.rank() != 0) {
        return record;
    }
    const std::size_t receivers = model_.fault.receivers.size();
    record.resize(n * receivers * kFaultNumbers);
    for (std::size_t r = 0; r < all.size(); ++r) {
        const std::size_t here = numbers[r].size();
        for (std::int64_t s = 0; s < n; ++s) {
            for (std::size_t k = 0; k < here; ++k) {
                std::copy_n(&all[r][(s * here + k) * kFaultNumbers], kFaultNumbers,
                            &record[(s * receivers + numbers[r][k]) * kFaultNumbers]);
            }
        }
    }
    return record;
}

void ClusteredSolver::add_fault_energy(WaveEnergy& energy) {
    EngineFaults* faults = engine_->faults();
    for (std::size_t k = 0; faults != nullptr && k < faults->faces().size(); ++k) {
        const rupture::FaultFaceShape& face = faults->faces()[k];
        const std::vector<double> kept = faults->kept(static_cast<std::int64_t>(k));
        const auto& x = face.corners_m;
        const double area_m2 = 0.5 * norm(cross(x[1] - x[0], x[2] - x[0]));
        for (int p = 0; p < fault_rule_.n_points(); ++p) {
            const auto at = [&](int field) { return kept[field * fault_rule_.padded() + p]; };
            const double share_m2 = area_m2 * fault_rule_.weights[p];
            energy.friction_j += share_m2 * at(Kept::kFriction);
            energy.released_j += share_m2 * at(Kept::kReleased);
            energy.moment_nm +=
                share_m2 * face.rigidity_pa * std::hypot(at(Kept::kSlipStrike), at(Kept::kSlipDip));
            energy.moment_rate_nm_s +=
                share_m2 * face.rigidity_pa * std::hypot(at(Kept::kRateStrike), at(Kept::kRateDip));
        }
    }
}

WaveEnergy ClusteredSolver::energy() {
    WaveEnergy energy;
    const ElementEnergy own = own_energy(0);
    energy.kinetic_j = own.kinetic_j;
    energy.elastic_j = own.elastic_j;
    add_fault_energy(energy);
    std::vector<std::int64_t> outlets;
    for (const double left_j : engine_->outflow(outlets)) {
        energy.outflow_j += left_j;
    }
    std::vector<std::int64_t> tets;
    const std::vector<double> yielded = own_yielded(tets);
    for (std::size_t k = 0; k < yielded.size(); k += Yielded::kFields) {
        energy.plastic_j += yielded[k + Yielded::kTakenJ];
        energy.plastic_heat_j += yielded[k + Yielded::kHeatJ];
    }
    add_surface_energy(energy);
    std::array<double, 10> sums = {
        energy.kinetic_j,      energy.elastic_j,  energy.friction_j, energy.released_j,
        energy.plastic_j,      energy.outflow_j,  energy.moment_nm,  energy.moment_rate_nm_s,
        energy.plastic_heat_j, energy.potential_j};
    comm_.sum(std::span<double>(sums));
    return {sums[0], sums[1], sums[2], sums[3], sums[4],
            sums[5], sums[6], sums[7], sums[8], sums[9]};
}

// Members of ClusteredSolver that concern yielding elements and surfaces with gravity are defined
// here.
namespace {

/// The face with gravity of a tet that a point is on, -1: none.
int surface_face_of(const TetTopology& topology, const PointInTet& point,
                    const std::array<double, 4>& lambda) {
    constexpr double kOff = 1e-6;
    for (int f = 0; f < 4; ++f) {
        const TetTopology::Beyond& beyond = topology.beyond[point.tet][f];
        if (beyond.tet < 0 && beyond.boundary == Boundary::Gravity && std::abs(lambda[f]) < kOff) {
            return f;
        }
    }
    return -1;
}

}  // namespace

std::vector<double> ClusteredSolver::own_yielded(std::vector<std::int64_t>& tets) {
    std::vector<double> values;
    if (yielding() > 0) {
        for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
            tets.push_back(tet);
            const auto sums = engine_->yielded(block, e);
            values.insert(values.end(), sums.begin(), sums.end());
        });
    }
    return values;
}

std::vector<float> ClusteredSolver::plastic_strain() {
    std::vector<std::int64_t> tets;
    const std::vector<double> values = own_yielded(tets);
    std::vector<float> own;
    for (std::size_t k = 0; k < values.size(); k += Yielded::kFields) {
        own.push_back(static_cast<float>(values[k + Yielded::kStrain]));
    }
    const auto all_tets = gather_all<std::int64_t>(comm_, tets);
    const auto all = gather_all<float>(comm_, own);
    std::vector<float> strain(comm_.rank() == 0 ? yielding() : 0);
    for (std::size_t r = 0; r < all.size() && comm_.rank() == 0; ++r) {
        for (std::size_t k = 0; k < all[r].size(); ++k) {
            strain[all_tets[r][k]] = all[r][k];
        }
    }
    return strain;
}

std::int64_t ClusteredSolver::surface_faces() const {
    const std::vector<std::int64_t> numbers = numbered_faces(topology_, Boundary::Gravity);
    return std::ranges::count_if(numbers, [](std::int64_t k) { return k >= 0; });
}

void ClusteredSolver::add_surface_energy(WaveEnergy& energy) {
    std::vector<std::int64_t> own;
    const std::vector<double> heights = engine_->heights(own);
    const std::vector<std::int64_t> numbers = numbered_faces(topology_, Boundary::Gravity);
    std::vector<std::int64_t> sides(surface_faces());  // 4 tet + face of each number
    for (std::int64_t side = 0; side < std::ssize(numbers); ++side) {
        if (numbers[side] >= 0) {
            sides[numbers[side]] = side;
        }
    }
    const std::vector<double> mass = face_mass_matrix(params_.order - 1);
    const int modes = face_modes(params_.order - 1);
    for (std::size_t k = 0; k < own.size(); ++k) {
        const std::int64_t tet = sides[own[k]] / 4;
        const double* eta = heights.data() + k * height_numbers();
        double square_m2 = 0.0;
        for (int a = 0; a < modes; ++a) {
            for (int b = 0; b < modes; ++b) {
                square_m2 += eta[a] * mass[a * modes + b] * eta[b];
            }
        }
        energy.potential_j +=
            0.5 * model_.solids[model_.mesh.material[tet]].density_kg_m3 * model_.gravity_m_s2 *
            square_m2 * TetShape::of(corners_of(model_, topology_, tet)).area_m2[sides[own[k]] % 4];
    }
}

std::vector<float> ClusteredSolver::surface_height(std::span<const PointInTet> points) {
    std::vector<std::int64_t> own;
    const std::vector<double> heights = engine_->heights(own);
    std::map<std::int64_t, std::size_t> place;
    for (std::size_t k = 0; k < own.size(); ++k) {
        place[own[k]] = k;
    }
    const std::vector<std::int64_t> numbers = numbered_faces(topology_, Boundary::Gravity);
    const int modes = face_modes(params_.order - 1);
    std::vector<double> values(points.size() * params_.lanes);
    for (std::size_t p = 0; p < points.size(); ++p) {
        const auto lambda =
            barycentric(corners_of(model_, topology_, points[p].tet), points[p].at_m);
        const int f = surface_face_of(topology_, points[p], lambda);
        if (f < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "points[" + std::to_string(p) +
                            "] must be on a face with gravity of its tet, is on none of tet " +
                            std::to_string(points[p].tet));
        }
        const auto found = place.find(numbers[4 * points[p].tet + f]);
        if (found == place.end()) {
            continue;
        }
        std::array<double, 3> along{};
        for (int v = 0, c = 0; v < 4; ++v) {
            if (v != f) {
                along[c++] = lambda[v];
            }
        }
        const std::vector<double> b = face_bernstein_at(params_.order - 1, along);
        for (int lane = 0; lane < params_.lanes; ++lane) {
            const double* eta = heights.data() + found->second * height_numbers() + lane * modes;
            for (int k = 0; k < modes; ++k) {
                values[lane * points.size() + p] += b[k] * eta[k];
            }
        }
    }
    comm_.sum(std::span<double>(values));
    return comm_.rank() == 0 ? std::vector<float>(values.begin(), values.end())
                             : std::vector<float>();
}

}  // namespace kaname::aderdg
