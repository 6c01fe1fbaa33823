// SPDX-License-Identifier: BSD-3-Clause
// Members of ClusteredSolver that concern fields are defined here: starts, records, velocities,
// energy.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solvers/aderdg/clustered_solver.hpp"
#include "solvers/aderdg/quadrature.hpp"
#include "solvers/aderdg/rank_gather.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {
namespace {

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

/// From values at a rule's points to the modes of what fits them best, [modes][points].
std::vector<std::vector<double>> projection_to(int degree, const TetRule& rule) {
    const std::vector<double> mass = mass_matrix(degree);
    std::vector<std::vector<double>> all(tet_modes(degree));
    for (const TetRule::Point& p : rule.points) {
        const std::vector<double> of_point = solved(mass, bernstein_at(degree, p.lambda));
        for (std::size_t m = 0; m < all.size(); ++m) {
            all[m].push_back(p.weight * of_point[m]);
        }
    }
    return all;
}

}  // namespace

void ClusteredSolver::start_from(
    const std::function<std::array<double, 9>(const Vec3&)>& unknowns) {
    constexpr std::int64_t kAtATime = 512;
    const TetRule rule(params_.order + 2);
    const std::vector<std::vector<double>> projection = projection_to(params_.order - 1, rule);
    const std::size_t modes = tet_modes(params_.order - 1), points = rule.points.size();
    std::vector<std::array<double, 9>> given(kAtATime * points);
    std::vector<std::vector<double>> values(kAtATime);
    for (std::int64_t first = 0; first < std::ssize(layout_.tets); first += kAtATime) {
        const std::int64_t n = std::min(kAtATime, std::ssize(layout_.tets) - first);
        const auto is_own = [&](std::int64_t k) { return layout_.tets[first + k] >= 0; };
        for (std::int64_t k = 0; k < n; ++k) {
            if (!is_own(k)) {
                continue;
            }
            const auto corners = corners_of(model_, topology_, layout_.tets[first + k]);
            for (std::size_t i = 0; i < points; ++i) {
                given[k * points + i] = unknowns(place_at(corners, rule.points[i].lambda));
            }
        }
        parallel_for(
            n,
            [&](std::int64_t k) {
                values[k].assign(element_numbers() * lanes_of(params_.lanes), 0.0);
                for (std::size_t m = 0; m < modes && is_own(k); ++m) {
                    std::array<double, 9> q{};
                    for (std::size_t i = 0; i < points; ++i) {
                        for (std::size_t c = 0; c < 9; ++c) {
                            q[c] += projection[m][i] * given[k * points + i][c];
                        }
                    }
                    for (int lane = 0; lane < params_.lanes; ++lane) {
                        std::ranges::copy(q, &values[k][lane * element_numbers() + 9 * m]);
                    }
                }
            },
            16);
        for (std::int64_t k = 0; k < n; ++k) {
            if (is_own(k)) {
                engine_->set_unknowns(static_cast<std::int32_t>((first + k) / layout_.per_block),
                                      static_cast<int>((first + k) % layout_.per_block), values[k]);
            }
        }
    }
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
    const auto lanes = static_cast<std::size_t>(lanes_of(params_.lanes)),
               used = static_cast<std::size_t>(params_.lanes);
    const std::vector<float> own = engine_->take_samples();
    const auto all = gather_all<float>(comm_, own);
    std::size_t n = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (!receivers_[r].empty()) {
            n = all[r].size() / (3 * lanes * receivers_[r].size());
        }
    }
    samples_ += static_cast<std::int64_t>(n);
    std::vector<float> record;
    if (comm_.rank() != 0) {
        return record;
    }
    record.resize(n * used * n_asked_for_ * 3);
    // Shares of a mean are added in one order, however many ranks have them.
    std::vector<std::array<std::size_t, 2>> where(asked_for_.size());  // rank, place there
    for (std::size_t r = 0; r < all.size(); ++r) {
        for (std::size_t k = 0; k < receivers_[r].size(); ++k) {
            where[static_cast<std::size_t>(receivers_[r][k])] = {r, k};
        }
    }
    for (std::size_t s = 0; s < n; ++s) {
        for (std::size_t lane = 0; lane < used; ++lane) {
            for (std::size_t share = 0; share < where.size(); ++share) {
                const auto [r, k] = where[share];
                const float* from = &all[r][((s * lanes + lane) * receivers_[r].size() + k) * 3];
                const auto asked_for = static_cast<std::size_t>(asked_for_[share]);
                float* to = &record[((s * used + lane) * n_asked_for_ + asked_for) * 3];
                for (int c = 0; c < 3; ++c) {
                    to[c] += from[c];
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

const std::vector<EnergyWeights>& ClusteredSolver::energy_weights() {
    if (energy_weights_.empty()) {
        energy_weights_.resize(layout_.tets.size());
        for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
            energy_weights_[std::int64_t(block) * layout_.per_block + e] =
                EnergyWeights::of(model_.solids[model_.mesh.material[tet]],
                                  TetShape::of(corners_of(model_, topology_, tet)).volume_m3);
        });
    }
    return energy_weights_;
}

ElementEnergy ClusteredSolver::own_energy(int lane) {
    const std::vector<EnergyWeights>& weights = energy_weights();
    const std::vector<double> squares = engine_->squares();
    const std::int64_t lanes = lanes_of(params_.lanes), columns = layout_.per_block * lanes;
    ElementEnergy sum;
    for_own_elements([&](std::int64_t, std::int32_t block, int e) {
        const double* of = squares.data() + block * Squares::kFields * columns + e * lanes + lane;
        const ElementEnergy energy =
            weights[std::int64_t(block) * layout_.per_block + e].energy(of, columns);
        sum.kinetic_j += energy.kinetic_j;
        sum.elastic_j += energy.elastic_j;
    });
    return sum;
}

double ClusteredSolver::energy_j(int lane) {
    const ElementEnergy own = own_energy(lane);
    return comm_.sum(own.kinetic_j + own.elastic_j);
}

std::vector<double> ClusteredSolver::energies_j() {
    const std::vector<EnergyWeights>& weights = energy_weights();
    const std::vector<double> squares = engine_->squares();
    const std::int64_t lanes = lanes_of(params_.lanes), columns = layout_.per_block * lanes;
    std::vector<double> sums(params_.lanes);
    for_own_elements([&](std::int64_t, std::int32_t block, int e) {
        for (int lane = 0; lane < params_.lanes; ++lane) {
            const ElementEnergy energy =
                weights[std::int64_t(block) * layout_.per_block + e].energy(
                    squares.data() + block * Squares::kFields * columns + e * lanes + lane,
                    columns);
            sums[lane] += energy.kinetic_j + energy.elastic_j;
        }
    });
    comm_.sum(std::span<double>(sums));
    return sums;
}

LargestWaves ClusteredSolver::largest_waves(int lane) {
    const std::vector<EnergyWeights>& weights = energy_weights();
    const std::vector<double> squares = engine_->squares();
    const std::int64_t lanes = lanes_of(params_.lanes), columns = layout_.per_block * lanes;
    std::array<double, 2> own = {-1.0, -1.0};  // energy density, tet
    for_own_elements([&](std::int64_t tet, std::int32_t block, int e) {
        const ElementEnergy energy = weights[std::int64_t(block) * layout_.per_block + e].energy(
            squares.data() + block * Squares::kFields * columns + e * lanes + lane, columns);
        double density = (energy.kinetic_j + energy.elastic_j) /
                         TetShape::of(corners_of(model_, topology_, tet)).volume_m3;
        density = std::isnan(density) ? std::numeric_limits<double>::infinity() : density;
        if (density > own[0]) {
            own = {density, static_cast<double>(tet)};
        }
    });
    std::array<double, 2> most = {-1.0, 0.0};
    for (const std::vector<double>& of_rank :
         gather_all<double>(comm_, std::span<const double>(own))) {
        if (of_rank[0] > most[0]) {
            most = {of_rank[0], of_rank[1]};
        }
    }
    LargestWaves found;
    found.tet = static_cast<std::int64_t>(most[1]);
    const std::array<Vec3, 4> corners = corners_of(model_, topology_, found.tet);
    found.insphere_diameter_m = TetShape::of(corners).insphere_diameter_m;
    for (int a = 0; a < 4; ++a) {
        found.at_m += 0.25 * corners[a];
        for (int b = 0; b < a; ++b) {
            found.longest_edge_m = std::max(found.longest_edge_m, norm(corners[a] - corners[b]));
        }
    }
    found.step_s = std::ldexp(clustering_.step_s, clustering_.cluster[found.tet]);
    found.beside_fault = !model_.fault.laws.empty() &&
                         std::ranges::any_of(topology_.beyond[found.tet],
                                             [](const auto& b) { return b.fault_face >= 0; });
    return found;
}

}  // namespace kaname::aderdg
