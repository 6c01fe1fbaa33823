// SPDX-License-Identifier: BSD-3-Clause
// Time steps of standard linear solids and Burgers bodies, with a fault between the two.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"
#include "tests/unit/solvers/viscoelastic/spectrum_motion.hpp"

namespace kaname::viscoelastic::branches_test {
namespace {

using lanes::kLanes;
using predictors::Polynomial;
using Layers = std::vector<earth::Material>;

constexpr double kTau_s = kMaxwellTime_s;

/// Largest difference and largest value.
struct Apart {
    double difference = 0.0, size = 0.0;
};
Apart apart(std::span<const double> a, std::span<const double> b) {
    Apart found;
    for (std::size_t i = 0; i < b.size(); ++i) {
        found.difference = std::max(found.difference, std::abs(a[i] - b[i]));
        found.size = std::max(found.size, std::abs(b[i]));
    }
    return found;
}

struct Case {
    Layers layers = four_rheologies();
    Element element = Element::P2;
    TimeGrid grid = {0.1 * kTau_s, 8, 0.5};
    PredictorParams predictor = Polynomial::Cubic;
    double tolerance = 1e-10;
};

/// u of the whole mesh right after the slip and at the end, without and with the first in it.
struct Ends {
    std::vector<double> first, last;
    [[nodiscard]] std::vector<double> change() const {
        std::vector<double> result(last);
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] -= first[i];
        }
        return result;
    }
};
Ends run(const Case& what, comm::Comm& comm) {
    device::Queue queue;
    const FaultModel fault(comm, what.element, what.layers);
    PackSolver solver(fault.model, what.grid, tight(what.tolerance), what.predictor, comm, queue);
    solver.start(fault.offsets(fault.unit_slip({0, 2})));
    Ends ends;
    while (!solver.finished()) {
        const StepResult step = solver.advance();
        EXPECT_TRUE(step.lanes[0].ok() && step.lanes[2].ok()) << step.step;
        if (step.step == 0) {
            ends.first = fault.whole(solver.displacement(), comm);
        }
    }
    ends.last = fault.whole(solver.displacement(), comm);
    return ends;
}
Ends run(const Case& what) {
    comm::SerialComm comm;
    return run(what, comm);
}

class Branches : public testing::TestWithParam<Element> {};

TEST_P(Branches, StepsTendToTheRelaxationSpectrum) {
    comm::SerialComm comm;
    device::Queue queue;
    const double end_s = 1.5 * kTau_s;
    const FaultModel fault(comm, GetParam(), four_rheologies());
    const RelaxationGroups groups = relaxation_groups(fault.model.materials(), GetParam());
    SpectrumParams params;
    params.end_s = 10.0 * kTau_s;
    params.tolerance = 1e-6;
    Observer surface = fault.surface(queue);
    SpectrumSolver spectrum(fault.model, groups, params, tight(1e-9), surface, comm, queue);
    (void)spectrum.start(fault.offsets(fault.unit_slip({0, 2})));
    while (spectrum.advance()) {
    }
    const auto c = spectrum.reduced().modes(groups.relaxation).at(end_s);
    const auto exact = motion_of(spectrum, c, fault.model, queue);
    const auto wanted = fault.whole(exact.view(), comm);

    std::vector<std::vector<double>> stepped;
    std::vector<double> error;
    for (const int n : {12, 24}) {
        const Case of{.element = GetParam(), .grid = {end_s / n, n, 0.5}};
        stepped.push_back(run(of).change());
        const Apart found = apart(stepped.back(), wanted);
        EXPECT_GT(found.size, 1e-2);
        error.push_back(found.difference / found.size);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        stepped[1][i] += (stepped[1][i] - stepped[0][i]) / 3.0;  // Richardson
    }
    const Apart extrapolated = apart(stepped[1], wanted);

    EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.1);
    EXPECT_LT(error[1], 1e-3);
    EXPECT_LT(extrapolated.difference, 2e-5 * extrapolated.size);
}

TEST_P(Branches, TwoRanksGiveTheMotionOfOne) {
    const Case growing{.element = GetParam(), .grid = {0.1 * kTau_s, 4, 0.6, {{0.2 * kTau_s, 3}}}};
    const Ends one = run(growing);
    Ends two;
    comm::run_as_threads(2, [&](comm::Comm& comm) {
        const Ends found = run(growing, comm);
        if (comm.rank() == 0) {
            two = found;
        }
    });

    const Apart found = apart(two.last, one.last);
    EXPECT_GT(found.size, 0.1);
    EXPECT_LT(found.difference, 1e-8 * found.size);
}

TEST_P(Branches, AKelvinElementThatNeverMovesLeavesAMaxwellBody) {
    // Kelvin's dashpot so stiff that the Kelvin element never moves.
    Layers maxwell = {rock(3e10, 3e10, 1e19)};
    Layers burgers = maxwell;
    burgers[0].kelvin_mu_pa = 2e10;
    burgers[0].kelvin_viscosity_pa_s = 1e30;

    const Apart found = apart(run({.layers = burgers, .element = GetParam()}).last,
                              run({.layers = maxwell, .element = GetParam()}).last);

    EXPECT_LT(found.difference, 1e-8 * found.size);
}

TEST_P(Branches, ASolidThatKeepsItsModulusIsElastic) {
    Layers solid = {rock(3e10, 3e10, 1e19)};
    std::vector<double> change;
    for (const double lost : {1e-2, 1e-4}) {
        solid[0].relaxed_mu_pa = (1.0 - lost) * 3e10;
        // Steps of a thousandth of eta/(mu - relaxed): until little is left to relax.
        const double time_s = 1e19 / (lost * 3e10);
        const Ends ends = run({.layers = solid, .element = GetParam(), .grid = {time_s, 8, 1.0}});
        const Apart found = apart(ends.last, ends.first);
        change.push_back(found.difference / found.size);
    }

    EXPECT_LT(change[0], 1e-2);
    EXPECT_GT(change[0], 1e-4);
    EXPECT_NEAR(change[0] / change[1], 100.0, 2.0);
}

TEST_P(Branches, ALaneThatFailsLeavesNothingBehind) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm, GetParam(), four_rheologies());
    PackSolver solver(fault.model, {0.2 * kTau_s, 3, 0.5}, {}, Polynomial::Cubic, comm, queue);
    PackSlip slip = fault.unit_slip({0, 2});
    slip[2][0].x = std::numeric_limits<double>::quiet_NaN();
    solver.start(fault.offsets(slip));
    bool failed = false;
    while (!solver.finished()) {
        const StepResult step = solver.advance();
        EXPECT_TRUE(step.lanes[0].ok());
        failed = failed || !step.lanes[2].ok();
    }

    EXPECT_TRUE(failed);
    const auto stress = solver.stress();
    for (std::size_t i = 2; i < stress.size(); i += kLanes) {
        ASSERT_EQ(stress[i], 0.0);
    }
}

TEST_P(Branches, ASecondPackStartsClean) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm, GetParam(), four_rheologies());
    PackSolver solver(fault.model, {0.2 * kTau_s, 3, 0.5}, tight(1e-10), Polynomial::Cubic, comm,
                      queue);
    std::vector<std::vector<double>> stress;
    for (int pack = 0; pack < 2; ++pack) {
        solver.start(fault.offsets(fault.unit_slip({1})));
        while (!solver.finished()) {
            (void)solver.advance();
        }
        stress.push_back(solver.stress());
    }

    EXPECT_EQ(stress[0], stress[1]);
}

INSTANTIATE_TEST_SUITE_P(Elements, Branches, testing::Values(Element::P2, Element::NodalDilatation),
                         [](const auto& info) {
                             return info.param == Element::P2 ? "P2" : "NodalDilatation";
                         });

TEST(BranchesOfAFault, EveryPredictorStartsTheSameSteps) {
    const auto expected = run({.grid = {0.1 * kTau_s, 24, 0.5}}).last;
    for (const auto kind : {PredictorKind::None, PredictorKind::Previous, PredictorKind::Ab2,
                            PredictorKind::DataDriven, PredictorKind::Projection}) {
        const auto found = apart(
            run({.grid = {0.1 * kTau_s, 24, 0.5}, .predictor = predictor_params(kind, 1e-10)}).last,
            expected);
        EXPECT_LT(found.difference, 1e-7 * found.size) << static_cast<int>(kind);
    }
}

TEST(BranchesOfAFault, AKelvinElementWithoutDashpotIsASpring) {
    // Two springs in series and a dashpot, once the Kelvin element has given way.
    constexpr double kMu_pa = 3e10;
    constexpr double kKelvin_pa = 2e10;
    const double softer_pa = 1.0 / (1.0 / kMu_pa + 1.0 / kKelvin_pa);
    const double kappa_pa = rock(3e10, kMu_pa).kappa_pa();
    Layers burgers = {rock(3e10, kMu_pa, 1e19)};
    burgers[0].kelvin_mu_pa = kKelvin_pa;
    burgers[0].kelvin_viscosity_pa_s = 1e10;
    const Layers maxwell = {rock(kappa_pa - 2.0 / 3.0 * softer_pa, softer_pa, 1e19)};
    const TimeGrid grid = {0.5 * kTau_s, 6, 1.0};

    const Apart found = apart(run({.layers = burgers, .grid = grid}).last,
                              run({.layers = maxwell, .grid = grid}).last);

    EXPECT_LT(found.difference, 1e-7 * found.size);
}

TEST(BranchesOfAFault, FourStepsAtOnceGiveTheStepsOfThePackSolver) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm, Element::P2, four_rheologies());
    SolverParams params;
    params.method = Method::Seed;
    params.cg = {1e-10, 200};
    const TimeGrid grid{0.1 * kTau_s, 12, 0.5};
    const auto offsets = fault.offsets(fault.unit_slip({2}));
    PackSolver plain(fault.model, grid, params, Polynomial::Ab2, comm, queue);
    plain.start(offsets);
    MultistepSolver four(fault.model, grid, params, comm, queue);
    four.start(offsets, 2);

    while (!plain.finished()) {
        (void)plain.advance();
        EXPECT_TRUE(four.advance().lanes[0].ok());
        double difference = 0.0;
        double size = 0.0;
        for (std::size_t i = 0; i < four.displacement().size(); i += kLanes) {
            difference = std::max(difference,
                                  std::abs(four.displacement()[i] - plain.displacement()[i + 2]));
            size = std::max(size, std::abs(plain.displacement()[i + 2]));
        }
        EXPECT_GT(size, 0.1);
        EXPECT_LT(difference, 1e-7 * size);
    }
    EXPECT_TRUE(four.finished());
}

TEST(BranchesOfAFault, OnlyElementsWithASecondBranchKeepItsStress) {
    comm::SerialComm comm;
    const FaultModel mixed(comm, Element::P2, four_rheologies());
    const FaultModel plain(comm);

    EXPECT_EQ(mixed.model.n_second(), mixed.model.mesh().n_tets() / 2);
    EXPECT_EQ(plain.model.n_second(), 0);
    EXPECT_TRUE(plain.model.second_slot().empty());
    std::int32_t next = 0;
    for (std::int32_t elem = 0; elem < mixed.model.mesh().n_tets(); ++elem) {
        const int layer = mixed.model.mesh().material[elem];
        EXPECT_EQ(mixed.model.second_slot()[elem], layer == 1 || layer == 2 ? next++ : -1);
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::branches_test
