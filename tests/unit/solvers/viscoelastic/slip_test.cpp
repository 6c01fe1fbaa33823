// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::slip_test {
namespace {

using lanes::kLanes;

/// Slip that names its node and component.
Vec3 slip_of(const Vec3& x) {
    return {1.0 + x.x, 2.0 - x.y, 0.1 * x.x};
}

TEST(ElementOffsets, AreHalfTheSlipOnTheElementsSide) {
    comm::SerialComm comm;
    const FaultModel fault(comm);
    PackSlip slip;
    for (const auto& [node, of] : fault.split.split) {
        slip[1].push_back(slip_of(fault.dofs.node_xyz[node]));
    }

    const auto offsets = fault.offsets(slip);

    EXPECT_EQ(offsets.size(), fault.split.elements.size());
    const auto& mesh = fault.model.mesh();
    for (const ElementOffset& offset : offsets) {
        const double side = fault.above(offset.elem) ? 0.5 : -0.5;
        for (int k = 0; k < 10; ++k) {
            const std::int32_t node = mesh.conn[offset.elem][k];
            const bool split =
                fault.split.index({static_cast<std::int32_t>(mesh.node_gid[node]), 0}) >= 0;
            const Vec3 expected = (split ? side : 0.0) * slip_of(mesh.node_xyz[node]);
            for (int comp = 0; comp < 3; ++comp) {
                EXPECT_EQ(offset.s[k][comp][1], expected[comp]);
                for (const int empty : {0, 2, 3}) {
                    EXPECT_EQ(offset.s[k][comp][empty], 0.0);
                }
            }
        }
    }
}

TEST(ElementOffsets, AscendByLocalElement) {
    comm::SerialComm comm;
    const FaultModel fault(comm);

    const auto offsets = fault.offsets(fault.unit_slip({0}));

    EXPECT_TRUE(std::is_sorted(
        offsets.begin(), offsets.end(),
        [](const ElementOffset& a, const ElementOffset& b) { return a.elem < b.elem; }));
}

TEST(ElementOffsets, EveryElementIsListedByTheRankThatHasIt) {
    comm::run_as_threads(3, [](comm::Comm& comm) {
        const FaultModel fault(comm);

        const auto offsets = fault.offsets(fault.unit_slip({0}));

        EXPECT_EQ(comm.sum(static_cast<std::int64_t>(offsets.size())),
                  static_cast<std::int64_t>(fault.split.elements.size()));
        for (const ElementOffset& offset : offsets) {
            const double expected = fault.above(offset.elem) ? 0.5 : -0.5;
            for (const auto& node : offset.s) {
                EXPECT_TRUE(node[0][0] == 0.0 || node[0][0] == expected);
            }
        }
    });
}

TEST(ElementOffsets, RefuseSlipThatLeavesOutNodes) {
    comm::SerialComm comm;
    const FaultModel fault(comm);
    PackSlip slip;
    slip[2].resize(3);

    try {
        (void)fault.offsets(slip);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("3 for "), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::slip_test
