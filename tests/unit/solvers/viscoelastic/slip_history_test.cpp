// SPDX-License-Identifier: BSD-3-Clause
// Slip that grows while the steps go on.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::slip_history_test {
namespace {

using lanes::kLanes;
using predictors::Polynomial;

/// Displacements of lane 0 at all steps.
std::vector<std::vector<double>> histories(const FaultModel& fault, const TimeGrid& grid,
                                           const std::function<double(double)>& slip_at) {
    comm::SerialComm comm;
    device::Queue queue;
    PackSolver solver(fault.model, grid, tight(1e-10), Polynomial::Cubic, comm, queue);
    solver.start(fault.offsets(fault.unit_slip({0})), slip_at);
    std::vector<std::vector<double>> all;
    while (!solver.finished()) {
        (void)solver.advance();
        auto& u = all.emplace_back();
        for (std::size_t i = 0; i < solver.displacement().size(); i += kLanes) {
            u.push_back(solver.displacement()[i]);
        }
    }
    return all;
}

struct GrowingSlip {
    const char* name;
    Element element;
    std::vector<earth::Material> layers;
};
class PackSolverOfElement : public testing::TestWithParam<GrowingSlip> {};

TEST_P(PackSolverOfElement, SlipThatGrowsIsTheConvolutionOfTheStepResponse) {
    // Ramp over n steps: 1/n sum_k (U_(k-1) + U_k)/2. With alpha = 1/2 that holds step by step: for
    // y' = A y + b s' the scheme gives y_1 = (1 - hA/2)^-1 b ds from rest, and U_0 = b,
    // U_1 = (1 - hA/2)^-1 (1 + hA/2) b.
    comm::SerialComm comm;
    const FaultModel fault(comm, GetParam().element, GetParam().layers);
    constexpr int kRamp = 6;
    const double ramp_s = 1.2 * kMaxwellTime_s;
    const TimeGrid grid{ramp_s / kRamp, 2 * kRamp, 0.5};
    const auto ramp =
        histories(fault, grid, [ramp_s](double t) { return std::min(1.0, t / ramp_s); });
    const auto step = histories(fault, grid, {});
    for (const int n : {1, kRamp, 2 * kRamp}) {
        double size = 0.0;
        double apart = 0.0;
        for (std::size_t i = 0; i < ramp[n].size(); ++i) {
            double convolved = 0.0;
            for (int k = 1; k <= std::min(n, kRamp); ++k) {
                convolved += 0.5 / kRamp * (step[n - k][i] + step[n - k + 1][i]);
            }
            size = std::max(size, std::abs(convolved));
            apart = std::max(apart, std::abs(ramp[n][i] - convolved));
        }
        EXPECT_GT(size, 0.05);
        EXPECT_LT(apart, 1e-7 * size) << n;
    }
}

const std::vector<earth::Material> kMaxwell = {rock(3e10, 3e10, 1e19)};
INSTANTIATE_TEST_SUITE_P(
    BothElements, PackSolverOfElement,
    testing::Values(GrowingSlip{"P2", Element::P2, kMaxwell},
                    GrowingSlip{"NodalDilatation", Element::NodalDilatation, kMaxwell},
                    GrowingSlip{"P2FourRheologies", Element::P2, four_rheologies()},
                    GrowingSlip{"NodalFourRheologies", Element::NodalDilatation,
                                four_rheologies()}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kaname::viscoelastic::slip_history_test
