// SPDX-License-Identifier: BSD-3-Clause
// Steps of the stress against plain loops over tensors, and the pressure's two kernels against each
// other and a linear field.
#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::stress_step_test {
namespace {

using lanes::kLanes;

std::vector<earth::Material> rocks_with_two_branches() {
    auto rocks = two_rocks();
    rocks[1].kelvin_mu_pa = 2e10;
    rocks[1].kelvin_viscosity_pa_s = 3e18;
    return rocks;
}

/// parts.deviator dev(t) + parts.mean tr(t)/3 I
std::array<double, 6> times(const Parts& parts, const std::array<double, 6>& t) {
    const double mean = (t[0] + t[1] + t[2]) / 3.0;
    std::array<double, 6> result{};
    for (int c = 0; c < 6; ++c) {
        const double spherical = c < 3 ? mean : 0.0;
        result[c] = parts.deviator * (t[c] - spherical) + parts.mean * spherical;
    }
    return result;
}

class RelaxingBox : public testing::Test {
protected:
    comm::SerialComm comm;
    device::Queue queue;
    BoxModel box{distorted_box(), rocks_with_two_branches(), clamped({mesh::Side::Bottom}), comm,
                 Element::NodalDilatation};
    StepModuli step = box.model.step_moduli(1e8, 0.7);
    ElementData data{box.model.mesh(), box.model.geometry(), step.moduli};
    std::size_t n = data.conn.size();
};

class StressStep : public RelaxingBox, public testing::WithParamInterface<LaneChain> {};

TEST_P(StressStep, IsTheFormulaInEveryLaneOrFromLaneToLane) {
    const auto n_second = static_cast<std::size_t>(box.model.n_second());
    ASSERT_GT(n_second, 0u);
    ASSERT_LT(n_second, n);
    const auto du = random_vector<double>(box.model.vector_size(), 6);
    const std::vector<Parts> none(n);
    device::Buffer<double> grown(n * kStressPerElement);
    stress_update({data, none, {}, du, grown}, queue);
    auto stress = random_vector<double>(grown.size(), 7);
    auto kept = random_vector<double>(n_second * kStressPerElement, 8);
    const auto before = random_vector<double>(stress.size(), 7);
    const auto kept_before = random_vector<double>(kept.size(), 8);

    stress_update({data,
                   step.relax,
                   {},
                   du,
                   stress,
                   GetParam(),
                   {box.model.second_slot(), step.second_relax, step.second_weight, kept}},
                  queue);

    double largest = 0.0;
    for (std::size_t vertex = 0; vertex < 4 * n; ++vertex) {
        const std::size_t elem = vertex / 4;
        const std::int32_t slot = box.model.second_slot()[elem];
        const auto tensor = [](const device::Buffer<double>& of, std::size_t at, int lane) {
            std::array<double, 6> t{};
            for (int c = 0; c < 6; ++c) {
                t[c] = of[(at * 6 + c) * kLanes + lane];
            }
            return t;
        };
        const std::size_t second = slot < 0 ? 0 : std::size_t(slot) * 4 + vertex % 4;
        std::array<double, 6> s{};
        std::array<double, 6> t{};
        for (int lane = 0; lane < kLanes; ++lane) {
            const bool first = lane == 0 || GetParam() == LaneChain::None;
            if (first) {
                s = tensor(before, vertex, lane);
                t = slot < 0 ? t : tensor(kept_before, second, lane);
            }
            const int shift = GetParam() == LaneChain::Within ? 1 : 0;
            if (lane >= shift) {
                const auto g = tensor(grown, vertex, lane - shift);
                std::array<double, 6> S_1{};
                for (int c = 0; c < 6; ++c) {
                    S_1[c] = s[c] - t[c];
                }
                const auto gone = times(step.relax[elem], S_1);
                const auto gone_2 = slot < 0 ? S_1 : times(step.second_relax[slot], t);
                const auto come_2 = slot < 0 ? S_1 : times(step.second_weight[slot], g);
                for (int c = 0; c < 6; ++c) {
                    s[c] += g[c] - gone[c] - (slot < 0 ? 0.0 : gone_2[c]);
                    t[c] += slot < 0 ? 0.0 : come_2[c] - gone_2[c];
                }
            }
            for (int c = 0; c < 6; ++c) {
                largest = std::max(largest, std::abs(s[c]));
                ASSERT_NEAR(tensor(stress, vertex, lane)[c], s[c], 1e-12 * largest);
                if (slot >= 0) {
                    ASSERT_NEAR(tensor(kept, second, lane)[c], t[c], 1e-12 * largest);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Chains, StressStep,
                         testing::Values(LaneChain::None, LaneChain::Within, LaneChain::Next));

class NodalPressure : public RelaxingBox {};

TEST_F(NodalPressure, ForceIsMinusTheTransposeOfTheDilatation) {
    const PressureNodes& nodes = *box.model.pressure_nodes();
    const auto x = random_vector<double>(box.model.vector_size(), 1);
    const auto p = random_vector<double>((std::size_t(nodes.size()) + 1) * kLanes, 2);
    device::Buffer<double> theta(p.size());
    device::Buffer<double> f(x.size());

    dilatation({data, nodes.conn, nodes.size(), {}, x, theta}, queue);
    pressure_force({data, nodes.conn, nodes.size(), p, f}, queue);

    for (int lane = 0; lane < kLanes; ++lane) {
        double work = 0.0;
        double by_pressure = 0.0;
        double size = 0.0;
        for (std::size_t i = lane; i < x.size(); i += kLanes) {
            work += x[i] * f[i];
            size += std::abs(x[i] * f[i]);
        }
        for (std::size_t i = lane; i < p.size(); i += kLanes) {
            by_pressure += p[i] * theta[i];
        }
        EXPECT_NEAR(work, -by_pressure, 1e-13 * size);
        EXPECT_GT(size, 0.0);
    }
}

TEST_F(NodalPressure, LinearMotionDilatesByTheVolume) {
    const PressureNodes& nodes = *box.model.pressure_nodes();
    device::Buffer<double> x(box.model.vector_size());
    for (std::size_t node = 0; node < x.size() / (3 * kLanes); ++node) {
        const Vec3& at = box.model.mesh().node_xyz[node];
        for (int lane = 0; lane < kLanes; ++lane) {
            double* u = x.data() + node * 3 * kLanes + lane;
            u[0] = (1.0 + lane) * at.x + 0.3 * at.y;
            u[kLanes] = 0.5 * at.y;
            u[2 * kLanes] = -0.2 * at.z + 0.1 * lane;
        }
    }
    device::Buffer<double> theta((std::size_t(nodes.size()) + 1) * kLanes);

    dilatation({data, nodes.conn, nodes.size(), {}, x, theta}, queue);

    double volume = 0.0;
    for (std::size_t elem = 0; elem < n; ++elem) {
        volume += nodes.conn[elem][0] == nodes.size() ? 0.0 : data.geometry[elem].volume;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        double sum = 0.0;
        for (std::size_t i = lane; i < theta.size(); i += kLanes) {
            sum += theta[i];
        }
        EXPECT_NEAR(sum / volume / box.model.scales().length_m, 1.3 + lane, 1e-12);
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::stress_step_test
