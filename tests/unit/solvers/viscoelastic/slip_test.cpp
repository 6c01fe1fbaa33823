// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"
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

/// A displacement that is a polynomial of degree 2 in kilometres, and its gradient at a place.
struct Quadratic {
    std::array<double, 3> operator()(const Vec3& x) const {
        const Vec3 y = 1e-3 * x;
        return {y.x - 2.0 * y.y * y.z + 0.5 * y.x * y.x, y.y * y.x + 0.3 * y.z * y.z - y.z,
                1.5 * y.x * y.z - y.y * y.y + 2.0 * y.y};
    }
    [[nodiscard]] static std::array<std::array<double, 3>, 3> gradient(const Vec3& x) {
        const Vec3 y = 1e-3 * x;
        return {{{1e-3 * (1.0 + y.x), -2e-3 * y.z, -2e-3 * y.y},
                 {1e-3 * y.y, 1e-3 * y.x, 1e-3 * (0.6 * y.z - 1.0)},
                 {1.5e-3 * y.z, 1e-3 * (2.0 - 2.0 * y.y), 1.5e-3 * y.x}}};
    }
};

/// Elements show quadratic displacements as they are, so that their work with the moment's forces
/// is M : grad u at the place to rounding: inside, in a corner of few elements, in other rock.
TEST(Moments, ActOnTheStrainAtTheirPlace) {
    const PackMoments moments = {
        fault::PointMoment{{0.3e3, -0.2e3, -1.3e3}, {1e15, -2e15, 5e14, 3e14, -7e14, 1.1e15}},
        fault::PointMoment{{2.7e3, 2.6e3, -0.2e3}, {1e15, 1e15, 1e15, 0.0, 0.0, 0.0}}, std::nullopt,
        fault::PointMoment{{-0.6e3, 0.9e3, -4.4e3}, {0.0, 0.0, 0.0, 0.0, 0.0, 1e15}}};
    comm::run_as_threads(3, [&](comm::Comm& comm) {
        const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);
        const ElementModuli moduli = box.model.step_moduli(0.0, 0.5).moduli;
        const ElementData data(box.model.mesh(), box.model.geometry(), moduli);
        device::Queue queue;
        device::Buffer<double> f(box.model.vector_size());
        std::vector<ElementOffset> offsets;

        add_moments(box.model, box.mesh, box.dofs, moments, offsets);

        offset_force({data, offsets, f}, queue);
        const double unit = box.model.scales().modulus_pa * box.model.scales().length_m;
        for (std::size_t lane = 0; lane < moments.size(); ++lane) {
            double work = 0.0;
            for (std::int32_t node = 0; node < box.model.mesh().n_nodes(); ++node) {
                const auto u = Quadratic()(box.model.mesh().node_xyz[node]);
                for (std::size_t c = 0; c < 3; ++c) {
                    work += unit * f[(std::size_t(node) * 3 + c) * kLanes + lane] * u[c];
                }
            }
            work = comm.sum(work);
            double expected = 0.0;
            if (moments[lane]) {
                const auto g = Quadratic::gradient(moments[lane]->at);
                const auto& m = moments[lane]->moment_nm;
                expected = m[0] * g[0][0] + m[1] * g[1][1] + m[2] * g[2][2] +
                           m[3] * (g[1][2] + g[2][1]) + m[4] * (g[0][2] + g[2][0]) +
                           m[5] * (g[0][1] + g[1][0]);
                EXPECT_GT(std::abs(expected), 1e11);
            }
            EXPECT_NEAR(work, expected, 1e-9 * 1e15 * 1e-3) << lane;
        }
    });
}

TEST(Moments, MoveNothingThemselvesAndStandBesideSlip) {
    comm::SerialComm comm;
    const FaultModel fault(comm);
    device::Queue queue;
    PackMoments moments;
    const Vec3 at{3.1e3, 2.8e3, -1.9e3};
    moments[1] = fault::PointMoment{at, {0.0, 0.0, 0.0, 0.0, 0.0, 1e15}};
    std::vector<ElementOffset> offsets = fault.offsets(fault.unit_slip({0}));
    const std::size_t of_slip = offsets.size();

    add_moments(fault.model, fault.mesh, fault.dofs, moments, offsets);

    EXPECT_GT(offsets.size(), of_slip) << "its ball reaches beyond the fault's elements";
    EXPECT_TRUE(std::ranges::is_sorted(offsets, {}, &ElementOffset::elem));
    Observer observer(fault.model, p2::locate_points(fault.mesh, std::vector<Vec3>{at}), queue);
    const device::Buffer<double> u(fault.model.vector_size());
    const auto values = observer.observe(u, offsets, comm, queue);
    EXPECT_GT(std::abs(values[0]), 0.1) << "slip";
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(values[static_cast<std::size_t>(k * kLanes + 1)], 0.0) << "strain";
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::slip_test
