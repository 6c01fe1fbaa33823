// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "tests/unit/solvers/viscoelastic/laplace_reference.hpp"

namespace kaname::viscoelastic {

inline constexpr double kYear = 3.15576e7;

/// A vertical fault that breaks the surface, in the first of three layers. Four sources.
class RangedBody {
public:
    /// rocks [3]: of the layers, from above.
    RangedBody(std::vector<earth::Material> rocks, double end_s, double tolerance,
               Element element = Element::P2, int most_solves = 80)
        : box_({.cells = {4, 3, 3},
                .low = {0.0, 0.0, -30e3},
                .high = {40e3, 30e3, 0.0},
                .faults = {{.axis = 0, .index = 2, .low = {0, 1, 2}, .high = {0, 2, 3}}},
                .material = [](const Vec3& x) { return static_cast<int>(-x.z / 10e3); }},
               std::move(rocks),
               clamped({mesh::Side::West, mesh::Side::East, mesh::Side::South, mesh::Side::North,
                        mesh::Side::Bottom}),
               comm_, element),
          groups(relaxation_groups(box_.model.materials(), element)),
          end_s_(end_s) {
        const auto split = fault::split_fault_nodes(box_.mesh, box_.dofs.conn, box_.dofs.node_xyz);
        PackSlip slip;
        slip[0].assign(split.split.size(), {0.0, 1.0, 0.0});
        slip[2].assign(split.split.size(), {0.0, 0.0, 1.0});
        for (std::size_t k = 0; k < split.split.size(); ++k) {
            const double upper = std::cos(1.0 + static_cast<double>(k));  // some other pattern
            slip[1].push_back({0.0, upper, 0.0});
            slip[3].push_back({0.0, 0.0, upper});
        }
        offsets_ = element_offsets(box_.model, box_.dofs, split, slip);
        std::vector<Vec3> points;
        std::copy_if(box_.mesh.xyz.begin(), box_.mesh.xyz.end(), std::back_inserter(points),
                     [](const Vec3& x) { return x.z > -1.0; });
        surface_.emplace(box_.model, p2::locate_points(box_.mesh, points), queue_);
        SpectrumParams params;
        params.end_s = end_s;
        params.tolerance = tolerance;
        params.max_solves_of_range = most_solves;
        solver_.emplace(box_.model, groups, params, SolverParams{}, *surface_, comm_, queue_);
    }

    /// Solves until the tolerance is reached; how many solves besides the elastic one.
    int solve() {
        (void)solver_->start(offsets_);
        int solves = 0;
        while (const auto shift = solver_->advance()) {
            EXPECT_TRUE(shift->lanes[0].ok() && shift->lanes[2].ok()) << solves;
            ++solves;
        }
        sources_ = solver_->source_models(4);
        basis_.clear();
        for (const auto& w : solver_->basis()) {
            basis_.push_back(seen(w));
        }
        return solves;
    }

    struct Outcome {
        double error = 0.0;      ///< largest over the times, of the worst source
        double certified = 0.0;  ///< largest of all sources
        double least_ratio = 1e300, largest_ratio = 0.0;  ///< certified over true, of each source
    };
    /// The stored models against the dense reference: the error over the largest change.
    Outcome compare(std::span<const Relaxation> relaxation, std::span<const double> times_s) {
        RelaxationGroups asked = groups;
        asked.relaxation.assign(relaxation.begin(), relaxation.end());
        const LaplaceReference reference(box_.model, asked, offsets_, queue_);
        Outcome worst;
        std::array<double, lanes::kLanes> error{}, size{};
        for (const double t : times_s) {
            const std::vector<double> wanted = reference.change(t);
            device::Buffer<double> u(wanted.size());
            std::copy(wanted.begin(), wanted.end(), u.data());
            const std::vector<double> exact = seen(u);
            for (const int lane : {0, 1, 2, 3}) {
                const std::vector<double> found = motion(lane, relaxation, t);
                double apart = 0.0;
                for (std::size_t i = 0; i < found.size(); ++i) {
                    const double value = exact[i * lanes::kLanes + lane];
                    size[lane] = std::max(size[lane], std::abs(value));
                    apart = std::max(apart, std::abs(found[i] - value));
                }
                error[lane] = std::max(error[lane], apart);
            }
        }
        for (const int lane : {0, 1, 2, 3}) {
            const SourceModel& source = sources_[lane];
            const double certified = source.certificate.error(source.model, relaxation);
            const double found = error[lane] / size[lane];
            worst.error = std::max(worst.error, found);
            worst.certified = std::max(worst.certified, certified);
            worst.least_ratio = std::min(worst.least_ratio, certified / found);
            worst.largest_ratio = std::max(worst.largest_ratio, certified / found);
        }
        return worst;
    }

    [[nodiscard]] const SpectrumSolver& solver() const { return *solver_; }
    [[nodiscard]] const std::vector<SourceModel>& sources() const { return sources_; }
    [[nodiscard]] double end_s() const { return end_s_; }

private:
    std::vector<double> seen(const device::Buffer<double>& u) {
        return surface_->observe(u.view(), {}, comm_, queue_);
    }
    /// u - u_0 at the surface, of a source's own model.
    std::vector<double> motion(int lane, std::span<const Relaxation> relaxation, double t_s) {
        const SourceModel& source = sources_[lane];
        const auto c = source.model.modes(relaxation).at(t_s);
        const std::size_t numbers = basis_[0].size() / lanes::kLanes;
        const std::size_t n = basis_.size() * lanes::kLanes;
        std::vector<double> result(numbers, 0.0);
        for (std::size_t old = 0; old < n; ++old) {
            double weight = 0.0;
            for (std::size_t k = 0; k < c.size(); ++k) {
                weight += source.T[k * n + old] * c[k][0];
            }
            for (std::size_t i = 0; i < numbers; ++i) {
                result[i] +=
                    weight * basis_[old / lanes::kLanes][i * lanes::kLanes + old % lanes::kLanes];
            }
        }
        return result;
    }

    comm::SerialComm comm_;
    device::Queue queue_;
    BoxModel box_;

public:
    RelaxationGroups groups;

private:
    double end_s_;
    std::vector<ElementOffset> offsets_;
    std::optional<Observer> surface_;
    std::optional<SpectrumSolver> solver_;
    std::vector<SourceModel> sources_;
    std::vector<std::vector<double>> basis_;  ///< observed
};

/// Rock of a name whose viscosity may be anything between the two.
inline earth::Material ranged_rock(const char* name, double mu_pa, double from_pa_s,
                                   double to_pa_s) {
    earth::Material material = rock(mu_pa, mu_pa, std::sqrt(from_pa_s * to_pa_s));
    material.name = name;
    material.viscosity_range = {from_pa_s, to_pa_s};
    return material;
}

struct Certification {
    double largest_error = 0.0, largest_estimate = 0.0;
    double least_ratio = 1e300, largest_ratio = 0.0;  ///< of certified errors to true ones
};
/// At random viscosities and times to the end, the end among them.
inline Certification certify(RangedBody& body, int samples, int times, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform;
    const RheologyRange& range = body.groups.range;
    Certification found;
    for (int k = 0; k < samples; ++k) {
        std::vector<double> x;
        for (std::size_t p = 0; p < range.parameters.size(); ++p) {
            x.push_back(uniform(random));
        }
        std::vector<double> times_s = {body.end_s()};
        for (int i = 1; i < times; ++i) {
            times_s.push_back(body.end_s() * std::pow(10.0, -3.0 * uniform(random)));
        }
        const auto outcome = body.compare(range.at(range.between(x)), times_s);
        found.largest_error = std::max(found.largest_error, outcome.error);
        found.largest_estimate = std::max(found.largest_estimate, outcome.certified);
        found.least_ratio = std::min(found.least_ratio, outcome.least_ratio);
        found.largest_ratio = std::max(found.largest_ratio, outcome.largest_ratio);
    }
    return found;
}

}  // namespace kaname::viscoelastic
