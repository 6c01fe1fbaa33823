// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_layout.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::earth::nankai_example_test {
namespace {

constexpr double kKm = 1000.0;
constexpr double kSmoothing_m = 15.0 * kKm;  // smoothing length of slab-top
constexpr double kShallowest_m = 1.0 * kKm;  // seaward nodes lie 1 km above the sea floor
const std::string kFolder = std::string(KANAME_SOURCE_DIR) + "/docs/examples/nankai/";

/// The number after the first "`key`: " of the example's YAML.
double number(const std::string& key) {
    std::ifstream in(kFolder + "nankai.yaml");
    std::stringstream text;
    text << in.rdbuf();
    const std::size_t at = text.str().find(" " + key + ": ");
    if (at == std::string::npos) {
        ADD_FAILURE() << key << " is not in nankai.yaml";
        return 0.0;
    }
    return std::stod(text.str().substr(at + key.size() + 3));
}

/// The slab's top over a square around the region, however that is turned.
BuiltVolumeModel slab_top(const Projection& projection) {
    VolumeLayout layout;
    layout.size_u_m = layout.size_v_m =
        kKm * std::hypot(number("size_east_km"), number("size_north_km"));
    layout.depth_m = number("depth_km") * kKm;
    layout.materials.resize(1);
    SurfaceDefinition& surface = layout.surfaces.emplace_back();
    surface.name = "slab-top";
    surface.path = kFolder + "slab_top.csv";
    surface.has_limits = true;
    surface.min_depth_m = kShallowest_m;
    surface.max_depth_m = layout.depth_m;
    surface.smoothing_length_m = kSmoothing_m;
    layout.volumes.resize(2);
    layout.volumes[0].name = "above";
    layout.volumes[0].bottom = surface.name;
    layout.volumes[1].name = "below";
    layout.volumes[0].material = layout.volumes[1].material = 0;
    return build_volume_model(layout, projection);
}

TEST(NankaiExample, PatchesLieOnDataAndDipGently) {
    const Projection projection({number("centre_lon_deg"), number("centre_lat_deg")});
    const BuiltVolumeModel built = slab_top(projection);
    const ModelSurface& surface = built.model->surfaces.at(1);
    const LonLat origin_place{number("origin_lon_deg"), number("origin_lat_deg")};
    const MapPoint origin = projection.forward(origin_place);
    const double strike = number("strike_deg") * kDegree + projection.convergence(origin_place);
    const double length = number("spacing_strike_km") * kKm;
    const double width = number("spacing_dip_km") * kKm;

    // Horizontal down-dip distance is at most the width along the interface: a wider window.
    double deepest = 0.0, steepest = 0.0;
    for (double s = -length; s <= number("n_strike") * length; s += 10.0 * kKm) {
        for (double d = -width; d <= number("n_dip") * width; d += 10.0 * kKm) {
            const double x = origin.x_m + s * std::sin(strike) + d * std::cos(strike);
            const double y = origin.y_m + s * std::cos(strike) - d * std::sin(strike);
            EXPECT_TRUE(surface.data->at(x, y)) << "s " << s << " d " << d;
            const double depth = -surface.height.z(x, y);
            const double below =
                -surface.height.z(x + kKm * std::cos(strike), y - kKm * std::sin(strike));
            deepest = std::max(deepest, depth);
            steepest = std::max(steepest, std::atan((below - depth) / kKm));
        }
    }

    EXPECT_LT(deepest, 50.0 * kKm);
    EXPECT_GT(deepest, 40.0 * kKm);
    EXPECT_GT(steepest, 10.0 * kDegree);
    EXPECT_LT(steepest, 30.0 * kDegree);
}

}  // namespace
}  // namespace kaname::earth::nankai_example_test

#endif
