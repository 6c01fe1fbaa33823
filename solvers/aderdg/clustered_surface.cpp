// SPDX-License-Identifier: BSD-3-Clause
// Members of ClusteredSolver that concern yielding elements and surfaces with gravity are defined
// here.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "solvers/aderdg/clustered_solver.hpp"
#include "solvers/aderdg/rank_gather.hpp"
#include "solvers/base/error.hpp"

namespace kaname::aderdg {
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
