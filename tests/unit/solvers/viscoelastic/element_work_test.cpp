// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"
#include "tests/bench/counted.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::element_work_test {
namespace {

TEST(ElementWork, FlopsAreThoseOfTheFormulas) {
    EXPECT_EQ(kStressFlop, bench::stress_flop());
    EXPECT_EQ(kForceFlop, bench::force_flop());
    EXPECT_EQ(kVertexDilatationFlop, bench::vertex_dilatation_flop());
    EXPECT_EQ(kOperatorFlop, bench::operator_flop(false));
    EXPECT_EQ(kOperatorFlop + kPressureFlop, bench::operator_flop(true));
    EXPECT_EQ(kDilatationFlop, bench::dilatation_flop());
}

TEST(ElementWork, ColoursInPartsAreTheWhole) {
    comm::SerialComm comm;
    const FaultModel fault(comm);
    device::Queue queue;
    const StepModuli step = fault.model.step_moduli(0.2 * kMaxwellTime_s, 0.5);
    const ElementGroups<float> elements(fault.model.mesh(), fault.model.geometry(), step.moduli,
                                        queue);
    const std::size_t size = fault.model.vector_size();
    const int colours = static_cast<int>(elements.colours.size());

    const device::Work whole = operator_work(elements, size, 0, 0, colours);
    device::Work parts;
    for (int colour = 0; colour < colours; ++colour) {
        parts += operator_work(elements, size, 0, colour, colour + 1);
    }

    EXPECT_NEAR(parts.bytes, whole.bytes, 1e-9 * whole.bytes);
    EXPECT_NEAR(parts.flop_fp32, whole.flop_fp32, 1e-9 * whole.flop_fp32);
    EXPECT_EQ(whole.flop_fp64, 0.0);
    const double flop = kOperatorFlop + kScatterFlop;
    EXPECT_GE(whole.flop_fp32, flop * fault.model.mesh().n_tets() * lanes::kLanes);
}

}  // namespace
}  // namespace kaname::viscoelastic::element_work_test
