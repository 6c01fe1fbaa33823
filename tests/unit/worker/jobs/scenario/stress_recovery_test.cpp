// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/scenario/stress_recovery.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/okada.hpp"

namespace kaname::jobs::stress_recovery_test {
namespace {

constexpr double kLambda = 45e9;
constexpr double kMu = 30e9;
using Stress = fault::StressChange;  // xx yy zz xy yz xz
using Gradient = std::array<std::array<double, 3>, 3>;
using Motion = std::function<Vec3(const Vec3&)>;

Vec3 centroid(const mesh::TetMesh& mesh, std::size_t tet) {
    Vec3 sum;
    for (const std::int32_t v : mesh.tets[tet]) {
        sum += 0.25 * mesh.xyz[v];
    }
    return sum;
}

Stress stress_of(const Gradient& g) {
    const double pressure = kLambda * (g[0][0] + g[1][1] + g[2][2]);
    return {pressure + 2.0 * kMu * g[0][0], pressure + 2.0 * kMu * g[1][1],
            pressure + 2.0 * kMu * g[2][2], kMu * (g[0][1] + g[1][0]),
            kMu * (g[1][2] + g[2][1]),      kMu * (g[0][2] + g[2][0])};
}

/// By differences of sixth order.
Stress stress_at(const Motion& u, const Vec3& x, double step) {
    Gradient g{};
    for (int j = 0; j < 3; ++j) {
        Vec3 along;
        along[j] = step;
        const Vec3 slope =
            (1.0 / (60.0 * step)) * (45.0 * (u(x + along) - u(x - along)) -
                                     9.0 * (u(x + 2.0 * along) - u(x - 2.0 * along)) +
                                     (u(x + 3.0 * along) - u(x - 3.0 * along)));
        for (int i = 0; i < 3; ++i) {
            g[i][j] = slope[i];
        }
    }
    return stress_of(g);
}

double size(const Stress& s) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 6; ++k) {
        sum += (k < 3 ? 1.0 : 2.0) * s[k] * s[k];
    }
    return std::sqrt(sum);
}

double distance(Stress a, const Stress& b) {
    std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::minus<>());
    return size(a);
}

/// A box whose elements have the means of a stress, of one rock or two.
struct Box {
    mesh::TetMesh mesh;
    std::vector<std::int32_t> tets;
    std::vector<float> stress_pa;

    explicit Box(const test::BoxMesh& box) : mesh(box.build()) {
        const p2::DofMap dofs(mesh);
        const auto cut =
            fault::split_vertices(mesh, fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz));
        for (const auto& tet : cut.tets) {
            tets.insert(tets.end(), tet.begin(), tet.end());
        }
    }
    /// Sets the stress of a second-order interpolant of the motion: the mean of its gradient
    /// depends on the midpoints of edges alone.
    void set_motion(const Motion& u) {
        stress_pa.clear();
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            const auto& v = mesh.tets[tet];
            std::array<Vec3, 4> slope;  // of the barycentric coordinates
            for (std::size_t k = 0; k < 4; ++k) {
                const Vec3 &a = mesh.xyz[v[(k + 1) % 4]], &b = mesh.xyz[v[(k + 2) % 4]],
                           &c = mesh.xyz[v[(k + 3) % 4]];
                const Vec3 normal = cross(b - a, c - a);
                slope[k] = (1.0 / dot(normal, mesh.xyz[v[k]] - a)) * normal;
            }
            Gradient g{};
            for (std::size_t a = 0; a < 4; ++a) {
                for (std::size_t b = a + 1; b < 4; ++b) {
                    const Vec3 middle = 0.5 * (mesh.xyz[v[a]] + mesh.xyz[v[b]]);
                    // Its own side of a fault.
                    const Vec3 moved = u(middle + 1e-9 * (centroid(mesh, tet) - middle));
                    for (int i = 0; i < 3; ++i) {
                        for (int j = 0; j < 3; ++j) {
                            g[i][j] += moved[i] * (slope[a][j] + slope[b][j]);
                        }
                    }
                }
            }
            append(stress_of(g));
        }
    }
    /// Sets a stress that is linear in every element.
    void set_stress(const std::function<Stress(const Vec3&)>& stress) {
        stress_pa.clear();
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            append(stress(centroid(mesh, tet)));
        }
    }
    struct Found {
        Stress stress, other;
    };
    [[nodiscard]] Found at(const Vec3& x, const std::vector<std::optional<double>>& rocks) const {
        const auto tet = static_cast<std::size_t>(p2::locate_points(mesh, std::array{x})[0].tet);
        const StressRecovery::At at = StressRecovery(mesh, tets, rocks).at(tet, x);
        return {jobs::stress_of(at.shares, stress_pa.data()),
                jobs::stress_of(at.other, stress_pa.data())};
    }

private:
    void append(const Stress& stress) {
        for (const double number : stress) {
            stress_pa.push_back(static_cast<float>(number));
        }
    }
};

using Moduli = std::vector<std::optional<double>>;
const Moduli kElastic = {kLambda / kMu};
const Moduli kViscous = {std::nullopt};

TEST(StressPolynomials, HoldWhatAGradientOfAHarmonicPolynomialHas) {
    // It has neither divergence nor Laplacian, so that no force is needed.
    const Motion fifth = [](const Vec3& x) {
        const double a = x.x, b = x.y;
        return Vec3{a * a * a * a * a - 10.0 * a * a * a * b * b + 5.0 * a * b * b * b * b,
                    -5.0 * a * a * a * a * b + 10.0 * a * a * b * b * b - b * b * b * b * b, 0.0};
    };
    const StressPolynomials fourth = stress_polynomials(4, kLambda / kMu);
    EXPECT_EQ(fourth.n_modes, 102);
    EXPECT_EQ(stress_polynomials(3, kLambda / kMu).n_modes, 69);
    EXPECT_EQ(stress_polynomials(3, std::nullopt).n_modes, 85);
    EXPECT_EQ(stress_polynomials(0, std::nullopt).n_modes, 6);
    const auto value = [&](int mode, int component, const Vec3& x) {
        double sum = 0.0;
        for (std::size_t m = 0; m < fourth.powers.size(); ++m) {
            const auto& p = fourth.powers[m];
            sum += fourth.of(mode, component)[m] * std::pow(x.x, p[0]) * std::pow(x.y, p[1]) *
                   std::pow(x.z, p[2]);
        }
        return sum;
    };
    std::vector<double> share(static_cast<std::size_t>(fourth.n_modes), 0.0);
    std::vector<double> coefficient(6 * fourth.powers.size(), 0.0);
    const auto add = [&](std::size_t component, std::array<int, 3> power, double factor) {
        const auto at = std::ranges::find(fourth.powers, power) - fourth.powers.begin();
        coefficient[component * fourth.powers.size() + std::size_t(at)] += factor;
    };
    for (const auto& [component, sign] : {std::pair(0, 1.0), std::pair(1, -1.0)}) {
        add(std::size_t(component), {4, 0, 0}, sign * 10.0);
        add(std::size_t(component), {2, 2, 0}, -sign * 60.0);
        add(std::size_t(component), {0, 4, 0}, sign * 10.0);
    }
    add(3, {3, 1, 0}, -40.0);
    add(3, {1, 3, 0}, 40.0);
    for (std::size_t mode = 0; mode < share.size(); ++mode) {
        for (std::size_t i = 0; i < coefficient.size(); ++i) {
            share[mode] += coefficient[i] * fourth.of(int(mode), 0)[i];
        }
    }
    const Vec3 x{0.3, -0.7, 0.2};
    const Stress wanted = stress_at(fifth, x, 1e-2);
    for (int component = 0; component < 6; ++component) {
        double sum = 0.0;
        for (std::size_t mode = 0; mode < share.size(); ++mode) {
            sum += share[mode] * kMu * value(int(mode), component, x);
        }
        EXPECT_NEAR(sum, wanted[std::size_t(component)], 1e-8 * size(wanted));
    }
}

TEST(StressRecovery, TakesThePressureApartWhereRockHasRelaxed) {
    // v = (y^2, 0, 0) needs a pressure of -2 x, which elastic rock has not without a divergence.
    const auto relaxed = [](const Vec3& x) {
        return Stress{-2e6 * x.x, -2e6 * x.x, -2e6 * x.x, 2e6 * x.y, 0.0, 0.0};
    };
    Box box({.cells = {3, 3, 3}});
    box.set_stress(relaxed);
    for (const Vec3& x : {Vec3{0.52, 0.41, 0.47}, {0.02, 0.9, 0.99}}) {
        EXPECT_LT(distance(box.at(x, kViscous).stress, relaxed(x)), 1e-5 * size(relaxed(x)));
    }
}

TEST(StressRecovery, StaysOnItsSideOfAFaultAndInItsRock) {
    const auto jump = [](const Vec3& x) {
        const Stress stress = {3e5, -2e5 + 5e5 * x.x, 0.0, 5e5 * x.z, 1e5, 7e5};
        return x.x > 0.5 ? Stress{9e6, -3e6, 1e6, 2e6, 4e6, -8e6} : stress;
    };
    const Vec3 left{0.49, 0.52, 0.48};
    const Vec3 right{0.51, 0.52, 0.48};
    const auto expect_both = [&](const Box& box, const std::vector<std::optional<double>>& rocks) {
        for (const Vec3& x : {left, right}) {
            EXPECT_LT(distance(box.at(x, rocks).stress, jump(x)), 1e-5 * size(jump(x)));
        }
    };

    Box faulted({.cells = {4, 4, 4},
                 .faults = {{.axis = 0, .index = 2, .low = {0, 0, 0}, .high = {0, 4, 4}}}});
    faulted.set_stress(jump);
    expect_both(faulted, kElastic);

    Box layered({.cells = {4, 4, 4}, .material = [](const Vec3& x) { return x.x > 0.5 ? 1 : 0; }});
    layered.set_stress(jump);
    expect_both(layered, {kElastic[0], kElastic[0]});
}

TEST(StressRecovery, LooksNeitherThroughNorRoundTheEndOfAFault) {
    // The fault ends within the box; elements at its end have points of both sides in common.
    Box box({.cells = {6, 6, 6},
             .faults = {{.axis = 0, .index = 3, .low = {0, 0, 0}, .high = {0, 4, 6}}}});
    const auto behind = [](const Vec3& x) {
        return x.x > 0.5 && x.y < 0.6 ? Stress{9e9, 9e9, 9e9, 9e9, 9e9, 9e9}
                                      : Stress{1e5, 2e5, 3e5, 4e5, 5e5, 6e5};
    };
    box.set_stress(behind);
    const Vec3 x{0.48, 0.45, 0.52};

    EXPECT_LT(distance(box.at(x, kElastic).stress, behind(x)), 1e-4 * size(behind(x)));
}

TEST(StressRecovery, LooksThroughAFaultWhereItDoesNotSlip) {
    // The fault crosses the box; its lower half alone slips.
    Box box({.cells = {4, 4, 4},
             .faults = {{.axis = 0, .index = 2, .low = {0, 0, 0}, .high = {0, 4, 4}}}});
    const auto n_points = static_cast<std::size_t>(std::ranges::max(box.tets)) + 1;
    std::vector<float> moved(3 * n_points, 0.0F);
    const auto split = [&](std::size_t k) {
        return static_cast<std::size_t>(box.tets[k]) >= box.mesh.xyz.size();
    };
    for (std::size_t k = 0; k < box.tets.size(); ++k) {
        if (split(k) && box.mesh.xyz[box.mesh.tets[k / 4][k % 4]].z < 0.45) {
            moved[3 * static_cast<std::size_t>(box.tets[k]) + 1] = 0.2F;
        }
    }

    const auto joined = joined_where_nothing_slips(box.mesh, box.tets, moved, n_points);

    for (std::size_t k = 0; k < joined.size(); ++k) {
        const std::int32_t vertex = box.mesh.tets[k / 4][k % 4];
        EXPECT_EQ(joined[k], split(k) && box.mesh.xyz[vertex].z > 0.45 ? vertex : box.tets[k]);
    }
    const auto sides = [&](const std::vector<std::int32_t>& tets, const Vec3& x) {
        const auto tet =
            static_cast<std::size_t>(p2::locate_points(box.mesh, std::array{x})[0].tet);
        std::array<int, 2> n{};
        for (const auto& share : StressRecovery(box.mesh, tets, kElastic).at(tet, x).shares) {
            ++n[centroid(box.mesh, share.tet).x > 0.5 ? 1 : 0];
        }
        return n;
    };
    const Vec3 still{0.49, 0.52, 0.9}, slipping{0.49, 0.52, 0.1};
    EXPECT_GT(sides(joined, still)[1], 10);
    EXPECT_EQ(sides(box.tets, still)[1], 0);
    EXPECT_EQ(sides(joined, slipping)[1], 0);
}

/// Strike slip on a vertical rectangle that a box around its southern half has as a fault; 1 m.
struct NextToAFault {
    static constexpr double kDepth_m = 6e3, kLength_m = 16e3;
    test::OkadaFault fault{{0.0, 0.0, -2e3}, 0.0, std::numbers::pi / 2, kLength_m, kDepth_m};
    test::OkadaMedium medium = test::okada_medium(kLambda, kMu);
    Motion motion = [this](const Vec3& x) {
        return test::okada_displacement(fault, {1.0, 0.0, 0.0}, medium, x);
    };
    [[nodiscard]] Box box(int cells) const {
        Box of({.cells = {2 * cells, 2 * cells, cells},
                .low = {4e3, -8e3, -12e3},
                .high = {20e3, 8e3, -4e3}});
        of.set_motion(motion);
        return of;
    }
};

TEST(StressRecovery, IsWithinOnePerCentOfOkadaWhereTheMeansAreThriceAsFarOff) {
    const NextToAFault near;
    const Box box = near.box(4);  // 2 km, 6 km from the slip
    for (const Vec3& x :
         {Vec3{9.3e3, 0.7e3, -7.7e3}, {11e3, -2.6e3, -9.1e3}, {8.5e3, 3e3, -6.4e3}}) {
        const Stress exact = stress_at(near.motion, x, 30.0);

        const Box::Found found = box.at(x, kElastic);

        const auto tet =
            static_cast<std::size_t>(p2::locate_points(box.mesh, std::array{x})[0].tet);
        Stress mean;
        std::copy_n(box.stress_pa.begin() + std::ptrdiff_t(6 * tet), 6, mean.begin());
        EXPECT_LT(distance(found.stress, exact), 0.01 * size(exact));
        EXPECT_LT(distance(found.stress, exact), distance(found.stress, found.other) * 2.0);
        EXPECT_GT(distance(mean, exact), 3.0 * distance(found.stress, exact));
    }
}

TEST(StressRecovery, ErrorFallsWithAHighPowerOfTheSize) {
    const NextToAFault near;
    const Vec3 x{9.3e3, 0.7e3, -7.7e3};
    const Stress exact = stress_at(near.motion, x, 30.0);

    const double coarse = distance(near.box(2).at(x, kElastic).stress, exact);
    const double fine = distance(near.box(6).at(x, kElastic).stress, exact);

    EXPECT_LT(fine, coarse / 9.0);
}

TEST(StressRecovery, TakesTheMeanWhereThereAreTooFewElements) {
    mesh::TetMesh one;
    one.xyz = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    one.tets = {{0, 1, 2, 3}};
    one.material = {0};
    const std::vector<std::int32_t> tets = {0, 1, 2, 3};
    const std::array<float, 6> mean = {1, 2, 3, 4, 5, 6};

    const auto at = StressRecovery(one, tets, kElastic).at(0, {0.1, 0.1, 0.1});

    const Stress found = jobs::stress_of(at.shares, mean.data());
    for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(found[k], mean[k], 1e-12);
    }
    EXPECT_TRUE(at.other.empty());
}

}  // namespace
}  // namespace kaname::jobs::stress_recovery_test
