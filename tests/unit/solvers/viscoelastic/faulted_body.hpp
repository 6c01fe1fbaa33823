// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "tests/unit/solvers/viscoelastic/laplace_reference.hpp"
#include "tests/unit/solvers/viscoelastic/spectrum_motion.hpp"

namespace kaname::viscoelastic {

inline constexpr double kFast_s = 1e8;  // relaxation time
// The promise: the asked tolerance within this factor.
inline constexpr double kKept = 1.5;

enum class Rock { Elastic, Slow, Fast };

/// A vertical fault that breaks the surface, in the upper of two layers; the lower one is fast on
/// one side and of another kind on the other.
struct Body {
    Rock at_fault;
    Rock below;
    double contrast;     ///< ratio of the relaxation times of slow and fast rock
    bool finer = false;  ///< flatter elements, four times as many, and a longer fault
};

class Faulted {
public:
    explicit Faulted(const Body& body)
        : box_(body.finer ? lattice({4, 4, 6}, {0, 1, 3}, {0, 3, 6})
                          : lattice({4, 3, 2}, {0, 1, 1}, {0, 2, 2}),
               {of(body.at_fault, 3e10, body.contrast), of(Rock::Fast, 4e10, body.contrast),
                of(body.below, 6e10, body.contrast)},
               clamped({mesh::Side::West, mesh::Side::East, mesh::Side::South, mesh::Side::North,
                        mesh::Side::Bottom}),
               comm_),
          groups_(relaxation_groups(box_.model.materials())) {
        const auto split = fault::split_fault_nodes(box_.mesh, box_.dofs.conn, box_.dofs.node_xyz);
        PackSlip slip;
        slip[0].assign(split.split.size(), {0.0, 1.0, 0.0});
        slip[2].assign(split.split.size(), {0.0, 0.0, 1.0});
        offsets_ = element_offsets(box_.model, box_.dofs, split, slip);
        std::vector<Vec3> points;
        std::copy_if(box_.mesh.xyz.begin(), box_.mesh.xyz.end(), std::back_inserter(points),
                     [](const Vec3& x) { return x.z > -1.0; });
        surface_.emplace(box_.model, p2::locate_points(box_.mesh, points), queue_);
    }

    struct Outcome {
        double estimate = 0.0;
        double error = 0.0;  ///< largest over all times
        double at_s = 0.0;
        int shifts = 0;
    };
    Outcome run(double end_s, double tolerance, std::span<const double> times_s) {
        SpectrumParams params;
        params.end_s = end_s;
        params.tolerance = tolerance;
        SpectrumSolver solver(box_.model, groups_, params, {}, *surface_, comm_, queue_);
        (void)solver.start(offsets_);
        Outcome outcome;
        while (const auto shift = solver.advance()) {
            ++outcome.shifts;
            EXPECT_TRUE(shift->lanes[0].ok() && shift->lanes[2].ok()) << outcome.shifts;
        }
        outcome.estimate = solver.error_estimate();
        const LaplaceReference reference(box_.model, groups_, offsets_, queue_);
        const RelaxationModes modes = solver.reduced().modes(groups_.relaxation);
        for (const double t : times_s) {
            const double error = apart(motion(solver, modes.at(t)), reference.change(t));
            if (error > outcome.error) {
                outcome.error = error;
                outcome.at_s = t;
            }
        }
        return outcome;
    }

private:
    /// Cells of 10 km along x and y; the fault from `low` to `high` in the plane x = 20 km.
    static test::BoxMesh lattice(const std::array<int, 3>& cells, const std::array<int, 3>& low,
                                 const std::array<int, 3>& high) {
        return {.cells = cells,
                .low = {0.0, 0.0, -20e3},
                .high = {40e3, 10e3 * cells[1], 0.0},
                .faults = {{.axis = 0, .index = 2, .low = low, .high = high}},
                .material = [](const Vec3& x) { return x.z > -10e3  ? 0
                                                       : x.x < 20e3 ? 1
                                                                    : 2; }};
    }
    static earth::Material of(Rock kind, double mu_pa, double contrast) {
        const double tau_s = kind == Rock::Fast ? kFast_s : contrast * kFast_s;
        return kind == Rock::Elastic ? rock(mu_pa, mu_pa) : rock(mu_pa, mu_pa, tau_s * mu_pa);
    }
    std::vector<double> seen(const device::Buffer<double>& u) {
        return surface_->observe(u.view(), {}, comm_, queue_);
    }
    std::vector<double> motion(const SpectrumSolver& solver, const ReducedModel::LaneRows& c) {
        return seen(motion_of(solver, c, box_.model, queue_));
    }
    /// Largest difference over the largest change at the surface, the worst source.
    double apart(const std::vector<double>& found, const std::vector<double>& wanted) {
        device::Buffer<double> u(wanted.size());
        std::copy(wanted.begin(), wanted.end(), u.data());
        const std::vector<double> exact = seen(u);
        double worst = 0.0;
        for (const int lane : {0, 2}) {
            double size = 0.0;
            double error = 0.0;
            for (std::size_t i = lane; i < exact.size(); i += lanes::kLanes) {
                size = std::max(size, std::abs(exact[i]));
                error = std::max(error, std::abs(found[i] - exact[i]));
            }
            EXPECT_GT(size, 1e-6);
            worst = std::max(worst, error / size);
        }
        return worst;
    }

    comm::SerialComm comm_;
    device::Queue queue_;
    BoxModel box_;
    RelaxationGroups groups_;
    std::vector<ElementOffset> offsets_;
    std::optional<Observer> surface_;
};

inline void expect_kept(const Body& body, bool late, double tolerance = 1e-5) {
    const double slow_s = body.contrast * kFast_s;
    const double end_s = 30.0 * (late ? slow_s : kFast_s);
    std::vector<double> times_s = {0.1 * kFast_s, 1.3 * kFast_s, 30.0 * kFast_s};
    if (late) {
        times_s.insert(times_s.end(), {slow_s, 5.0 * slow_s, 30.0 * slow_s});
    }

    const auto found = Faulted(body).run(end_s, tolerance, times_s);

    testing::Test::RecordProperty("shifts", found.shifts);
    EXPECT_LE(found.estimate, tolerance);
    EXPECT_LE(found.error, found.estimate) << "at " << found.at_s / kFast_s;
    EXPECT_LE(found.error, kKept * tolerance) << "at " << found.at_s / kFast_s;
}

}  // namespace kaname::viscoelastic
