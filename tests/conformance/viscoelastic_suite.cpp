// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/viscoelastic_suite.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/comm/comm.hpp"
#include "tests/conformance/suite_support.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/pack_run.hpp"

namespace kaname::conformance {
namespace {

using lanes::kLanes;
using Kind = viscoelastic::BoundaryCondition::Kind;
using mesh::Side;

constexpr double kMu_pa = 30e9;
constexpr double kTau_s = 1e7;  // the shorter Maxwell time
constexpr double kTolerance = 1e-8;
constexpr double kAgreement = 10.0 * kTolerance;  // share of the largest displacement
constexpr int kSteps = 6;                         // enough for the predictor to have its history

/// A tilted fault across an elastic lid, a Maxwell layer and a Burgers mantle, moving and loaded
/// sides.
class Problem {
public:
    Problem() {
        box_.cells = {9, 8, 7};
        box_.low = {-45e3, -40e3, -35e3};
        box_.high = {45e3, 40e3, 0.0};
        box_.faults = {{0, 4, {4, 2, 3}, {4, 6, 7}}};
        box_.move = [](const Vec3& x) {
            return x + Vec3{-0.4 * x.z * std::exp(-std::abs(x.x) / 30e3), 1e3 * std::sin(x.x / 9e3),
                            0.0};
        };
        box_.material = [](const Vec3& x) { return x.z > -12e3 ? 0 : x.z > -25e3 ? 1 : 2; };
        mesh_ = box_.build();
        run_.mesh = &mesh_;
        run_.materials = {{"lid", kMu_pa, kMu_pa, 0.0, std::nullopt},
                          {"weak", kMu_pa, kMu_pa, 0.0, kTau_s * kMu_pa},
                          {"mantle", 2.0 * kMu_pa, 1.5 * kMu_pa, 0.0, 8.0 * kTau_s * kMu_pa}};
        run_.materials[2].kelvin_mu_pa = kMu_pa;
        run_.materials[2].kelvin_viscosity_pa_s = 2.0 * kTau_s * kMu_pa;
        for (int comp = 0; comp < 3; ++comp) {
            run_.conditions.push_back({Side::Bottom, comp});
            run_.conditions.push_back({Side::West, comp});
        }
        run_.conditions.push_back({Side::South, 1});
        run_.grid = {0.3 * kTau_s, kSteps, 0.5};
        run_.params.cg.tolerance = kTolerance;
        for (double x = -40e3; x < 45e3; x += 9e3) {
            points_.push_back({x, 3e3, 0.0});
            points_.push_back({0.3 * x, 0.8 * x, -16e3});
        }
        run_.places = p2::locate_points(mesh_, points_);
    }

    /// Source k: slip of its own direction and place along strike.
    void add_source(int lane, int k) {
        run_.slip[lane] = [k](const Vec3& x) {
            const double along = (x.y - 6e3 * (k - 1.5)) / 15e3;
            const double amount = std::max(0.0, 1.0 - along * along);
            return amount * Vec3{0.4, k % 2 == 0 ? 1.0 : -0.3, 0.2 * k};
        };
    }
    /// A side that moves with time and one with traction, different in every lane.
    void load() {
        run_.conditions.push_back(
            {Side::East, 0, Kind::Prescribed, [](const Vec3& x, double t_s, int lane) {
                 return (lane + 1) * 0.1 * (1.0 + t_s / kTau_s) * x.z / 35e3;
             }});
        run_.conditions.push_back(
            {Side::North, 1, Kind::Traction, [](const Vec3& x, double /*t_s*/, int lane) {
                 return 1e5 * (2.0 - lane) * (1.0 + x.x / 45e3);
             }});
    }
    test::PackRun& run() { return run_; }

private:
    test::BoxMesh box_;
    mesh::TetMesh mesh_;
    test::PackRun run_;
    std::vector<Vec3> points_;
};

/// Largest difference between two lanes over all steps and places, and the lanes' largest value.
struct Difference {
    double difference = 0.0;
    double size = 0.0;
};
Difference compare(const test::PackHistory& a, int lane_a, const test::PackHistory& b, int lane_b) {
    Difference result;
    for (int step = 0; step <= kSteps; ++step) {
        for (std::size_t place = 0; place < a.values[step].size() / (3 * kLanes); ++place) {
            const Vec3 ua = a.at(step, place, lane_a);
            result.difference = std::max(result.difference, norm(ua - b.at(step, place, lane_b)));
            result.size = std::max(result.size, norm(ua));
        }
    }
    return result;
}

void expect_same(const test::PackHistory& a, int lane_a, const test::PackHistory& b, int lane_b,
                 const std::string& what) {
    const Difference found = compare(a, lane_a, b, lane_b);
    expect(found.size > 1e-3, what + ": a displacement that is not zero");
    expect(found.difference <= kAgreement * found.size,
           what + ": difference <= " + std::to_string(kAgreement * 1e9) + "e-9, got " +
               std::to_string(found.difference / found.size * 1e9) + "e-9");
}

void ranks_give_the_serial_displacement(comm::Comm& comm) {
    Problem problem;
    problem.load();
    for (int lane = 0; lane < kLanes; ++lane) {
        problem.add_source(lane, lane);
    }

    const auto serial = test::run_pack(problem.run());
    const auto here = test::run_pack(problem.run(), comm);

    expect(serial.worst_residual() <= kTolerance, "the serial solve to converge");
    expect(here.worst_residual() <= kTolerance, "the solve on all ranks to converge");
    for (int lane = 0; lane < kLanes; ++lane) {
        expect_same(serial, lane, here, lane, "lane " + std::to_string(lane));
    }
}

void four_sources_are_each_alone(comm::Comm& comm) {
    Problem together;
    for (int lane = 0; lane < kLanes; ++lane) {
        together.add_source(lane, lane);
    }
    const auto all = test::run_pack(together.run(), comm);

    for (int k = 0; k < kLanes; ++k) {
        Problem alone;
        alone.add_source(0, k);
        const auto one = test::run_pack(alone.run(), comm);
        expect_same(one, 0, all, k, "source " + std::to_string(k));
        for (int lane = 1; lane < kLanes; ++lane) {
            expect(compare(one, lane, one, lane).size == 0.0, "empty lanes to stay exactly zero");
            expect(one.steps.back().lanes[lane].iterations == 0, "empty lanes not to iterate");
        }
    }
}

void a_lane_does_not_matter(comm::Comm& comm) {
    Problem first;
    first.add_source(0, 1);
    Problem last;
    last.add_source(3, 1);

    expect_same(test::run_pack(first.run(), comm), 0, test::run_pack(last.run(), comm), 3,
                "lane 3 for lane 0");
}

void block_jacobi_gives_the_multigrid_displacement(comm::Comm& comm) {
    Problem problem;
    problem.load();
    problem.add_source(0, 0);
    problem.add_source(1, 1);
    const auto multigrid = test::run_pack(problem.run(), comm);
    problem.run().params.method = viscoelastic::Method::Pcge;
    problem.run().params.cg.max_iterations = 5000;

    const auto jacobi = test::run_pack(problem.run(), comm);

    expect(jacobi.worst_residual() <= kTolerance, "block Jacobi to converge");
    for (int lane = 0; lane < 2; ++lane) {
        expect_same(multigrid, lane, jacobi, lane, "lane " + std::to_string(lane));
    }
}

void the_seed_gives_the_multigrid_displacement(comm::Comm& comm) {
    Problem problem;
    problem.load();
    problem.add_source(0, 0);
    problem.add_source(2, 1);
    const auto multigrid = test::run_pack(problem.run(), comm);
    problem.run().params.method = viscoelastic::Method::Seed;

    const auto seed = test::run_pack(problem.run(), comm);

    expect(seed.worst_residual() <= kTolerance, "the seed to converge");
    for (const std::int64_t iterations : seed.steps.back().inner_iterations) {
        expect(iterations > 0, "every inner loop to iterate");
    }
    for (const int lane : {0, 2}) {
        expect_same(multigrid, lane, seed, lane, "lane " + std::to_string(lane));
    }
}

void every_predictor_gives_one_displacement(comm::Comm& comm) {
    Problem problem;
    problem.load();
    for (int lane = 0; lane < kLanes; ++lane) {
        problem.add_source(lane, lane);
    }
    problem.run().grid.n_steps = kSteps;
    const auto plain = test::run_pack(problem.run(), comm);
    using viscoelastic::PredictorKind;
    for (const auto& [name, kind] :
         {std::pair{"none", PredictorKind::None}, std::pair{"ab2", PredictorKind::Ab2},
          std::pair{"data_driven", PredictorKind::DataDriven},
          std::pair{"projection", PredictorKind::Projection}}) {
        problem.run().predictor = viscoelastic::predictor_params(kind, kTolerance);
        if (problem.run().predictor.data_driven) {
            problem.run().predictor.nodes_per_subdomain = 200;  // several on every rank
        }

        const auto run = test::run_pack(problem.run(), comm);

        expect(run.worst_residual() <= kTolerance, std::string(name) + " to converge");
        for (int lane = 0; lane < kLanes; ++lane) {
            expect_same(plain, lane, run, lane,
                        std::string(name) + ", lane " + std::to_string(lane));
        }
    }
}

}  // namespace

const std::vector<CommCase>& viscoelastic_cases() {
    static const std::vector<CommCase> cases = {
        {"RanksGiveTheSerialDisplacement", ranks_give_the_serial_displacement},
        {"FourSourcesAreEachAlone", four_sources_are_each_alone},
        {"ALaneDoesNotMatter", a_lane_does_not_matter},
        {"BlockJacobiGivesTheMultigridDisplacement", block_jacobi_gives_the_multigrid_displacement},
        {"TheSeedGivesTheMultigridDisplacement", the_seed_gives_the_multigrid_displacement},
        {"EveryPredictorGivesOneDisplacement", every_predictor_gives_one_displacement},
    };
    return cases;
}

}  // namespace kaname::conformance
