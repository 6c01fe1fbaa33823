// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/rim.hpp"
#include "tests/unit/solvers/meshing/cleaving/cut_complex.hpp"

namespace kaname::cleaving::settle_test {
namespace {

constexpr double kLevel_m = -50e3;
constexpr double kEdge_m = 10e3;  // edge of a cell of the cube

/// A cube of two layers whose interface vertices inside were moved up, as if taken back.
struct Moved {
    std::shared_ptr<earth::VolumeModel> model = test::layers({kLevel_m});
    Sheets sheets{model, {}, kCubeBox};
    Complex complex = cut_cube(Labeller(sheets, {}), 10);
    std::vector<std::int32_t> vertices;

    explicit Moved(double by_m) {
        for (const std::int32_t v : interface_vertices(complex)) {
            if (complex.walls[v] == 0 && vertices.size() < 8) {
                complex.xyz[v].z += by_m;
                complex.on[v] = 0;
                vertices.push_back(v);
            }
        }
    }
    [[nodiscard]] double farthest_m() const {
        double away = 0.0;
        for (const std::int32_t v : vertices) {
            away = std::max(away, std::abs(complex.xyz[v].z - kLevel_m));
        }
        return away;
    }
};

TEST(Settle, TakesVerticesBetweenVolumesToTheirSheet) {
    Moved of(0.1 * kEdge_m);
    const double before = least_shape_deg(of.complex.xyz, of.complex.tets);

    EXPECT_GE(settle(of.complex, of.sheets, 12.0), 8);

    EXPECT_LT(of.farthest_m(), 1.0);
    for (const std::int32_t v : of.vertices) {
        EXPECT_EQ(of.complex.on[v], 2U);
    }
    EXPECT_GE(least_shape_deg(of.complex.xyz, of.complex.tets), std::min(12.0, before));
}

TEST(Settle, LeavesWhatWouldSpoilShapes) {
    Moved of(0.1 * kEdge_m);
    const std::vector<Vec3> before = of.complex.xyz;

    // Nothing is as good as 80 degrees but what it is already.
    const double least = least_shape_deg(before, of.complex.tets);
    settle(of.complex, of.sheets, 80.0);

    EXPECT_GE(least_shape_deg(of.complex.xyz, of.complex.tets), least);
}

TEST(Settle, LeavesASheetThatPartsOtherVolumes) {
    Moved of(0.1 * kEdge_m);
    for (Labels& label : of.complex.tet_labels) {
        label.volumes = label.volumes == volume_bit(0) ? volume_bit(5) : label.volumes;
    }

    EXPECT_EQ(settle(of.complex, of.sheets, 12.0), 0);
    EXPECT_NEAR(of.farthest_m(), 0.1 * kEdge_m, 1e-6);
}

}  // namespace
}  // namespace kaname::cleaving::settle_test
