// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/internal_force.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"
#include "tests/unit/solvers/viscoelastic/reference_element.hpp"

namespace kaname::viscoelastic::internal_force_test {
namespace {

using lanes::kLanes;

class InternalForce : public testing::Test {
protected:
    comm::SerialComm comm;
    device::Queue queue;
    BoxModel box{distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm};
    ElementModuli moduli = box.model.step_moduli(0.0, 0.5).moduli;
    ElementData data{box.model.mesh(), box.model.geometry(), moduli};
    std::vector<Parts> no_relaxation = std::vector<Parts>(box.model.mesh().n_tets());
    device::Buffer<double> f{box.model.vector_size()};
    device::Buffer<double> stress{std::size_t(box.model.mesh().n_tets()) * kStressPerElement};

    static std::size_t stress_at(std::int32_t elem, int vertex, int c, int lane) {
        return ((std::size_t(elem) * 4 + vertex) * 6 + c) * kLanes + lane;
    }
    /// Random offsets on some elements.
    std::vector<ElementOffset> random_offsets() const {
        std::vector<ElementOffset> offsets;
        const auto numbers = random_vector<double>(120 * 1000, 9);
        std::size_t next = 0;
        for (std::int32_t elem = 2; elem < box.model.mesh().n_tets(); elem += 7) {
            ElementOffset& offset = offsets.emplace_back();
            offset.elem = elem;
            for (auto& node : offset.s) {
                for (auto& comp : node) {
                    for (double& lane : comp) {
                        lane = numbers[next++];
                    }
                }
            }
        }
        return offsets;
    }
};

TEST_F(InternalForce, StressOfADisplacementGivesMinusKU) {
    const auto u = random_vector<double>(box.model.vector_size(), 1);
    const auto Ku = reference_apply(box.model, two_rocks(), u);

    stress_update({data, no_relaxation, {}, u, stress}, queue);
    stress_force({data, no_relaxation, stress, f}, queue);

    const double scale = largest(f);
    EXPECT_GT(scale, 0.1);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], -Ku[i], 1e-12 * scale) << i;
    }
}

TEST_F(InternalForce, StressOfALinearDisplacementIsHookesLaw) {
    // u = (a y, b z, c x) / km per lane factor: strains xy = a/2, yz = b/2, zx = c/2; plus d x
    // east.
    const double a = 1e-6, b = 2e-6, c = -3e-6, d = 4e-6;
    device::Buffer<double> u(box.model.vector_size());
    const p2::LocalMesh& mesh = box.model.mesh();
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        const Vec3& x = mesh.node_xyz[node];
        const Vec3 value = {a * x.y + d * x.x, b * x.z, c * x.x};
        for (int k = 0; k < 3 * kLanes; ++k) {
            u[std::size_t(node) * 3 * kLanes + k] = (1 + k % kLanes) * value[k / kLanes];
        }
    }

    stress_update({data, no_relaxation, {}, u, stress}, queue);

    const double to_pa = box.model.scales().modulus_pa / box.model.scales().length_m;
    const auto materials = two_rocks();
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        const double lambda = materials[mesh.material[elem]].lambda_pa;
        const double mu = materials[mesh.material[elem]].mu_pa;
        const double expected[6] = {
            (lambda + 2 * mu) * d, lambda * d, lambda * d, mu * b, mu * c, mu * a};
        for (int vertex = 0; vertex < 4; ++vertex) {
            for (int k = 0; k < 6; ++k) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    EXPECT_NEAR(to_pa * stress[stress_at(elem, vertex, k, lane)],
                                (1 + lane) * expected[k], 1e-4)
                        << k;
                }
            }
        }
    }
}

TEST_F(InternalForce, PurePressureDoesNotRelax) {
    for (std::int32_t elem = 0; elem < box.model.mesh().n_tets(); ++elem) {
        for (int vertex = 0; vertex < 4; ++vertex) {
            for (int c = 0; c < 3; ++c) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    stress[stress_at(elem, vertex, c, lane)] = -2.0 - elem % 3 - vertex - lane;
                }
            }
        }
    }
    const std::vector<Parts> relax(no_relaxation.size(), {0.37, 0.0});
    device::Buffer<double> without(f.size());
    stress_force({data, no_relaxation, stress, without}, queue);
    device::Buffer<double> nothing(f.size());
    const auto before = std::vector<double>(stress.data(), stress.data() + stress.size());

    stress_force({data, relax, stress, f}, queue);
    stress_update({data, relax, {}, nothing, stress}, queue);

    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], without[i], 1e-14 * largest(f));
    }
    for (std::size_t i = 0; i < stress.size(); ++i) {
        EXPECT_NEAR(stress[i], before[i], 1e-15 * 10.0);
    }
}

TEST_F(InternalForce, DeviatorAndMeanShrinkByTheRelaxationOfTheirElement) {
    stress = random_vector<double>(stress.size(), 2);
    const auto before = random_vector<double>(stress.size(), 2);
    std::vector<Parts> relax(no_relaxation.size());
    for (std::size_t elem = 0; elem < relax.size(); ++elem) {
        relax[elem] = {0.01 * static_cast<double>(elem % 50),
                       0.002 * static_cast<double>(elem % 7)};
    }
    const device::Buffer<double> nothing(f.size());

    stress_update({data, relax, {}, nothing, stress}, queue);

    for (std::int32_t elem = 0; elem < box.model.mesh().n_tets(); ++elem) {
        for (int vertex = 0; vertex < 4; ++vertex) {
            for (int lane = 0; lane < kLanes; ++lane) {
                double mean = 0.0;
                for (int c = 0; c < 3; ++c) {
                    mean += before[stress_at(elem, vertex, c, lane)] / 3.0;
                }
                for (int c = 0; c < 6; ++c) {
                    const double part = c < 3 ? mean : 0.0;
                    const double s = before[stress_at(elem, vertex, c, lane)];
                    EXPECT_NEAR(
                        stress[stress_at(elem, vertex, c, lane)],
                        (1.0 - relax[elem].mean) * part + (1.0 - relax[elem].deviator) * (s - part),
                        1e-15);
                }
            }
        }
    }
}

TEST_F(InternalForce, StressForceIsThatOfTheRelaxedStress) {
    stress = random_vector<double>(stress.size(), 3);
    const std::vector<Parts> relax(no_relaxation.size(), {0.25, 0.125});
    stress_force({data, relax, stress, f}, queue);
    const device::Buffer<double> nothing(f.size());
    device::Buffer<double> expected(f.size());

    stress_update({data, relax, {}, nothing, stress}, queue);
    stress_force({data, no_relaxation, stress, expected}, queue);

    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], expected[i], 1e-14 * largest(f));
    }
}

TEST_F(InternalForce, OffsetForceIsMinusKTimesTheOffsetsElementByElement) {
    const auto offsets = random_offsets();
    const auto materials = two_rocks();
    const p2::LocalMesh& mesh = box.model.mesh();
    const double unit = box.model.scales().modulus_pa * box.model.scales().length_m;
    std::vector<double> expected(f.size(), 0.0);
    for (const ElementOffset& offset : offsets) {
        for (int lane = 0; lane < kLanes; ++lane) {
            std::array<Vec3, 10> s;
            for (int node = 0; node < 10; ++node) {
                s[node] = {offset.s[node][0][lane], offset.s[node][1][lane],
                           offset.s[node][2][lane]};
            }
            const auto& material = materials[mesh.material[offset.elem]];
            const auto force =
                reference_force(corners(mesh, offset.elem), material.lambda_pa, material.mu_pa, s);
            for (int node = 0; node < 10; ++node) {
                for (int comp = 0; comp < 3; ++comp) {
                    expected[(std::size_t(mesh.conn[offset.elem][node]) * 3 + comp) * kLanes +
                             lane] -= force[node][comp] / unit;
                }
            }
        }
    }

    offset_force({data, offsets, f}, queue);

    EXPECT_GT(largest(f), 0.1);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], expected[i], 1e-12 * largest(f)) << i;
    }
}

TEST_F(InternalForce, StressOfOffsetsPullsLikeTheOffsetForce) {
    const auto offsets = random_offsets();
    const device::Buffer<double> nothing(f.size());
    device::Buffer<double> expected(f.size());
    offset_force({data, offsets, expected}, queue);

    stress_update({data, no_relaxation, offsets, nothing, stress}, queue);
    stress_force({data, no_relaxation, stress, f}, queue);

    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], expected[i], 1e-12 * largest(f)) << i;
    }
}

TEST_F(InternalForce, RefusesShapesThatDisagree) {
    device::Buffer<double> small(f.size() - kLanes);
    device::Buffer<double> short_stress(stress.size() - kLanes);

    EXPECT_THROW(offset_force({data, {}, small}, queue), Error);
    EXPECT_THROW(stress_force({data, no_relaxation, stress, small}, queue), Error);
    EXPECT_THROW(stress_force({data, no_relaxation, short_stress, f}, queue), Error);
    EXPECT_THROW(stress_update({data, no_relaxation, {}, small, stress}, queue), Error);
    EXPECT_THROW(stress_step({{data, no_relaxation, {}, f, stress}, {}, {}, f}, queue), Error);
    EXPECT_THROW(lasting_stress({data, {}, {}, small, stress}, queue), Error);
    EXPECT_THROW(stress_update({data, no_relaxation, {}, f, short_stress}, queue), Error);
    const std::vector<std::int32_t> slot(3, -1);
    EXPECT_THROW(stress_force({data, no_relaxation, stress, f, {slot, {}, {}, {}}}, queue), Error);
    EXPECT_THROW(stress_force({data, no_relaxation, stress, f, {{}, {}, {}, short_stress}}, queue),
                 Error);
}

}  // namespace
}  // namespace kaname::viscoelastic::internal_force_test
