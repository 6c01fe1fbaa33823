// SPDX-License-Identifier: BSD-3-Clause
// The strike-slip benchmark of the SCEC crustal deformation group (box of 24 km, vertical fault
// that breaks the surface, slip tapered over 4 km), elastic part, against the sum of Okada's
// rectangles. PyLith's documentation publishes sqrt(int |du|^2 / V): 1.41e-3 m for linear
// tetrahedra of 1 km, 4.79e-4 of 500 m and 1.30e-4 of 250 m.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/convergence/half_space.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::convergence::scec_strike_slip_test {
namespace {

constexpr double kSize_m = 24e3;
constexpr double kFault_m = 16e3;  ///< half its length, and its depth
constexpr double kTaper_m = 4e3;

/// Right-lateral slip: one metre, falling to zero at the ends and the lower edge.
double slip_at(const Vec3& x) {
    const double room = std::min(kFault_m - std::abs(x.y), kFault_m + x.z);
    return std::clamp(room / kTaper_m, 0.0, 1.0);
}

/// Distance from the part of the fault on which the slip tapers [m].
double distance_to_taper_m(const Vec3& x) {
    const double room = std::min(kFault_m - std::abs(x.y), kFault_m + x.z);
    return std::hypot(x.x - 0.5 * kSize_m, std::max({-room, room - kTaper_m, 0.0}));
}

/// The slip exceeds s on a rectangle of half-length and depth 16 km - 4 km s: the mean of the
/// motions of unit slip on those. Gauss-Legendre in s, on the more panels the nearer their edges
/// are, where the motion is singular.
Vec3 exact(const Vec3& x) {
    constexpr double kNode[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363};
    constexpr double kWeight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                   0.1012285362903763};
    constexpr double kMostPanels = 16.0;
    const double panels =
        std::clamp(std::ceil(kTaper_m / (distance_to_taper_m(x) + 1.0)), 1.0, kMostPanels);
    Vec3 sum;
    for (double panel = 0.0; panel < panels; ++panel) {
        for (int k = 0; k < 8; ++k) {
            const double s = (panel + 0.5 + 0.5 * (k < 4 ? kNode[k] : -kNode[k - 4])) / panels;
            const double reach = kFault_m - kTaper_m * s;
            const test::OkadaFault fault = {
                {0.5 * kSize_m, 0.0, 0.0}, 0.0, 90.0 * kDegree, 2.0 * reach, reach};
            sum += 0.5 * kWeight[k % 4] / panels *
                   test::okada_displacement(fault, {-1.0, 0.0, 0.0}, {}, x);
        }
    }
    return sum;
}

/// sqrt(int |du|^2 / V) with `cells` cells along each edge of the box.
double error_m(int cells) {
    device::set_threads(1);
    const int third = cells / 3;
    test::BoxMesh box;
    box.cells = {cells, cells, cells};
    box.low = {0.0, 0.0, -kSize_m};
    box.high = {kSize_m, kSize_m, 0.0};
    box.faults = {
        {.axis = 0, .index = cells / 2, .low = {0, 0, third}, .high = {0, 2 * third, cells}}};
    const mesh::TetMesh mesh = box.build();
    test::PackRun run;
    run.mesh = &mesh;
    run.materials = {rock()};
    // The other half is the mirror image: no motion across y = 0.
    run.conditions = {{mesh::Side::South, 0}, {mesh::Side::South, 2}};
    run.prescribed_sides = {mesh::Side::West, mesh::Side::East, mesh::Side::North,
                            mesh::Side::Bottom};
    run.field = [](const Vec3& x, double, int lane) { return lane == 0 ? exact(x) : Vec3{}; };
    run.slip[0] = [](const Vec3& x) { return Vec3{0.0, -slip_at(x), 0.0}; };
    // Four places per tetrahedron, exact for quadratic functions.
    constexpr double kNear = 0.1381966011250105;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        for (int k = 0; k < 4; ++k) {
            p2::Location place;
            place.tet = static_cast<std::int32_t>(tet);
            place.barycentric = {kNear, kNear, kNear, kNear};
            place.barycentric[k] = 1.0 - 3.0 * kNear;
            run.places.push_back(place);
        }
    }

    const auto history = test::run_pack(run);

    EXPECT_TRUE(history.steps[0].lanes[0].ok());
    double sum = 0.0;
    for (std::size_t k = 0; k < run.places.size(); ++k) {
        Vec3 x;
        for (int v = 0; v < 4; ++v) {
            x += run.places[k].barycentric[v] * mesh.xyz[mesh.tets[k / 4][v]];
        }
        const Vec3 off = history.at(0, k, 0) - exact(x);
        sum += dot(off, off);
    }
    return std::sqrt(sum / static_cast<double>(run.places.size()));
}

TEST(ScecStrikeSlip, QuadraticTetrahedraAreOfSecondOrderAndBeatLinearOnesOfHalfTheirSize) {
    const double of_2_km = error_m(12);
    const double of_1_km = error_m(24);

    RecordProperty("error_2_km_m", std::to_string(of_2_km));
    RecordProperty("error_1_km_m", std::to_string(of_1_km));
    EXPECT_LT(of_2_km, 1.41e-3);
    EXPECT_LT(of_1_km, 4.79e-4);
    EXPECT_GT(of_2_km / of_1_km, 3.5);
}

}  // namespace
}  // namespace kaname::convergence::scec_strike_slip_test
