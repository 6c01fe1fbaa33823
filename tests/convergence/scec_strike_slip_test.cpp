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

namespace kaname::convergence {
namespace {

constexpr int kCells = 24;  // of 1 km
constexpr double kSize_m = 24e3;
constexpr double kFault_m = 16e3;  ///< half its length, and its depth
constexpr double kTaper_m = 4e3;

/// Right-lateral slip: one metre, falling to zero at the ends and the lower edge.
double slip_at(const Vec3& x) {
    const double room = std::min(kFault_m - std::abs(x.y), kFault_m + x.z);
    return std::clamp(room / kTaper_m, 0.0, 1.0);
}

/// The slip exceeds s on a rectangle of half-length and depth 16 km - 4 km s: the mean of the
/// motions of unit slip on those, Gauss-Legendre in s.
Vec3 exact(const Vec3& x) {
    constexpr double kNode[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363};
    constexpr double kWeight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                   0.1012285362903763};
    Vec3 sum;
    for (int k = 0; k < 8; ++k) {
        const double s = 0.5 + 0.5 * (k < 4 ? kNode[k] : -kNode[k - 4]);
        const double reach = kFault_m - kTaper_m * s;
        const test::OkadaFault fault = {
            {0.5 * kSize_m, 0.0, 0.0}, 0.0, 90.0 * kDegree, 2.0 * reach, reach};
        sum += 0.5 * kWeight[k % 4] * test::okada_displacement(fault, {-1.0, 0.0, 0.0}, {}, x);
    }
    return sum;
}

TEST(ScecStrikeSlip, QuadraticTetrahedraOfOneKilometreBeatLinearOnesOfHalf) {
    device::set_threads(1);
    test::BoxMesh box;
    box.cells = {kCells, kCells, kCells};
    box.low = {0.0, 0.0, -kSize_m};
    box.high = {kSize_m, kSize_m, 0.0};
    box.faults = {{.axis = 0, .index = kCells / 2, .low = {0, 0, 8}, .high = {0, 16, kCells}}};
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
            fem::Location place;
            place.tet = static_cast<std::int32_t>(tet);
            place.barycentric = {kNear, kNear, kNear, kNear};
            place.barycentric[k] = 1.0 - 3.0 * kNear;
            run.places.push_back(place);
        }
    }

    const auto history = test::run_pack(run);

    ASSERT_TRUE(history.steps[0].lanes[0].ok());
    double sum = 0.0;
    for (std::size_t k = 0; k < run.places.size(); ++k) {
        Vec3 x;
        for (int v = 0; v < 4; ++v) {
            x += run.places[k].barycentric[v] * mesh.xyz[mesh.tets[k / 4][v]];
        }
        const Vec3 off = history.at(0, k, 0) - exact(x);
        sum += dot(off, off);
    }
    const double error_m = std::sqrt(sum / static_cast<double>(run.places.size()));
    RecordProperty("error_m", std::to_string(error_m));
    EXPECT_LT(error_m, 4.6e-4);
}

}  // namespace
}  // namespace kaname::convergence
