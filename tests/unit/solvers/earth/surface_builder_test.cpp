// SPDX-License-Identifier: BSD-3-Clause
// A surface of a file, as the model of the volumes has it.
#include "solvers/earth/surface_builder.hpp"

#include <algorithm>
#include <limits>

#include "tests/unit/solvers/earth/model_files.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::earth::surface_builder_test {
namespace {

/// Dips north at 0.3 km per 0.01 degree of latitude from 6 km at 33 N; data 134..136 E, 33..35 N;
/// limits 8 and 50 km; box of 800 km.
class DippingSurface : public ModelFiles {
protected:
    [[nodiscard]] std::string dipping(double noise_km = 0.0) const {
        return write_grid(
            "dipping.csv",
            [&](double lon, double lat) {
                if (std::abs(lon - 135.0) > 1.01 || std::abs(lat - 34.0) > 1.01) {
                    return std::numeric_limits<double>::quiet_NaN();
                }
                const auto node = std::lround(lon / 0.05) + std::lround(lat / 0.05);
                return 6.0 + 30.0 * (lat - 33.0) + (node % 2 == 0 ? noise_km : -noise_km);
            },
            0.05);
    }
    [[nodiscard]] VolumeLayout request_of(const std::string& path) const {
        VolumeLayout layout = model({gridded("slab", path)},
                                    {volume("above", "", "slab"), volume("below", "", "", 1)});
        layout.size_u_m = layout.size_v_m = 800.0 * kKm;
        layout.surfaces[0].has_limits = true;
        layout.surfaces[0].min_depth_m = 8.0 * kKm;
        layout.surfaces[0].max_depth_m = 50.0 * kKm;
        return layout;
    }
    [[nodiscard]] MapPoint at(double lon, double lat) const {
        return projection_.forward({lon, lat});
    }
    [[nodiscard]] double depth(const ModelSurface& surface, double lon, double lat) const {
        return -surface.height.z(at(lon, lat).x_m, at(lon, lat).y_m);
    }
    [[nodiscard]] bool has_data(const ModelSurface& surface, double lon, double lat) const {
        return surface.data->at(at(lon, lat).x_m, at(lon, lat).y_m);
    }
};

TEST_F(DippingSurface, FollowsDataBetweenTheLimitsAndHeadsForThemBeyond) {
    const BuiltVolumeModel built = build(request_of(dipping()));
    const ModelSurface& slab = built.model->surfaces[1];

    for (const double lat : {33.3, 33.7, 34.1}) {
        EXPECT_NEAR(depth(slab, 135.0, lat), 6.0 * kKm + (lat - 33.0) * 30.0 * kKm, 30.0) << lat;
        EXPECT_TRUE(has_data(slab, 135.0, lat));
    }
    EXPECT_NEAR(depth(slab, 135.0, 32.9), 8.0 * kKm, 150.0);
    EXPECT_NEAR(depth(slab, 135.0, 32.5), 8.0 * kKm, 700.0);
    EXPECT_NEAR(depth(slab, 135.0, 35.3), 50.0 * kKm, 700.0);
    EXPECT_FALSE(has_data(slab, 135.0, 32.9));
    EXPECT_FALSE(has_data(slab, 135.0, 34.9));
    // Data are 2 degrees of longitude (185 km) by 2 of latitude (222 km), of the box of 800 km.
    EXPECT_NEAR(1.0 - slab.extended_fraction, 185.0 * 222.0 / (800.0 * 800.0), 0.003);
}

TEST_F(DippingSurface, StaysInLimitsWithoutCliffsOrKinks) {
    const BuiltVolumeModel built = build(request_of(dipping()));
    const HeightField& height = built.model->surfaces[1].height;
    const double h = 500.0;
    double steepest = 0.0;
    double sharpest = 0.0;
    for (double y = -400.0 * kKm; y <= 400.0 * kKm; y += 7.3 * kKm) {
        for (double x = -400.0 * kKm; x <= 400.0 * kKm; x += 7.3 * kKm) {
            const double here = -height.z(x, y);
            ASSERT_GE(here, 8.0 * kKm - 1e-6);
            ASSERT_LE(here, 50.0 * kKm + 1e-6);
            for (const auto& [dx, dy] : {std::pair{h, 0.0}, std::pair{0.0, h}}) {
                const double ahead = -height.z(x + dx, y + dy);
                const double behind = -height.z(x - dx, y - dy);
                steepest = std::max(steepest, std::abs(ahead - behind) / (2.0 * h));
                sharpest = std::max(sharpest, std::abs(ahead - 2.0 * here + behind) / (h * h));
            }
        }
    }

    const double data_slope = 30.0 * kKm / 110.9e3;
    EXPECT_GT(steepest, 0.9 * data_slope);
    EXPECT_LT(steepest, 1.6 * data_slope);
    EXPECT_LT(sharpest, data_slope / (4.0 * kKm));  // bends over a cell of the data or more
}

TEST_F(DippingSurface, SmoothingKeepsAPlaneAndRemovesNoise) {
    VolumeLayout layout = request_of(dipping(0.8));
    layout.surfaces[0].smoothing_length_m = 10.0 * kKm;

    const BuiltVolumeModel built = build(layout);

    EXPECT_NEAR(depth(built.model->surfaces[1], 135.0, 33.72), 6.0 * kKm + 0.72 * 30.0 * kKm, 60.0);
}

}  // namespace
}  // namespace kaname::earth::surface_builder_test

#endif
