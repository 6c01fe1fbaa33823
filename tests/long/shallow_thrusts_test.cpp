// SPDX-License-Identifier: BSD-3-Clause
// Every thrust of a grid, Gorkha's planes and the trenches of the examples mesh and can slip
// wholly.
#include <algorithm>
#include <fstream>
#include <string>

#include "tests/support/bare_job.hpp"
#include "tests/unit/worker/jobs/thrust_job.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::jobs::shallow_thrusts_test {
namespace {

class ShallowThrusts : public testing::TestWithParam<std::tuple<double, double, double>> {};

TEST_P(ShallowThrusts, MeshAndSlipWholly) {
    const auto& [top_km, dip_deg, size_km] = GetParam();
    const GreensJob job = thrust_job(1e3 * top_km, dip_deg, 1e3 * size_km);
    const JobGeometry geometry(job);

    EXPECT_NEAR(expect_sound_fault(geometry).least_peak_m, 1.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Grid, ShallowThrusts,
                         testing::Combine(testing::Values(0.0, 1.0, 2.0, 4.0, 8.0),
                                          testing::Values(7.0, 8.0, 9.0, 10.0, 12.0, 15.0, 17.0,
                                                          20.0),
                                          testing::Values(4.0, 8.0, 12.0)));

/// A plane of Gorkha 2015 (Mw 7.8), with its size: about those published.
struct GorkhaPlane {
    double strike_deg, dip_deg, length_km, width_km, top_km;
};

// After Avouac et al. 2015, Elliott et al. 2016, Galetzka et al. 2015 and Hayes et al. 2015.
constexpr GorkhaPlane kGorkhaPlanes[] = {{293.0, 7.0, 160.0, 88.0, 8.0},
                                         {285.0, 7.0, 140.0, 80.0, 5.0},
                                         {295.0, 11.0, 200.0, 150.0, 2.0},
                                         {295.0, 10.0, 180.0, 120.0, 3.0}};

class Gorkha : public testing::TestWithParam<std::tuple<GorkhaPlane, double>> {};

TEST_P(Gorkha, MeshesAndSlipsWholly) {
    const auto& [published, size_km] = GetParam();
    GreensJob job = thrust_job(1e3 * published.top_km, published.dip_deg, 1e3 * size_km);
    auto& plane = std::get<PlaneGeometry>(job.fault);
    plane.strike_deg = published.strike_deg;
    plane.length_m = 1e3 * published.length_km;
    plane.width_m = 1e3 * published.width_km;
    const JobGeometry geometry(job);

    EXPECT_NEAR(expect_sound_fault(geometry).least_peak_m, 1.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Planes, Gorkha,
                         testing::Combine(testing::ValuesIn(kGorkhaPlanes),
                                          testing::Values(4.0, 6.0, 8.0, 10.0, 12.0)));

/// A place where a slab's data begin.
struct Trench {
    const char* file;  ///< below docs/examples
    double lon_deg, lat_deg, strike_deg;
};

/// The slab raised so that it begins so deep there: at the ground, or under a thin wedge.
class Trenches : public testing::TestWithParam<std::tuple<Trench, double, double>> {};

TEST_P(Trenches, MeshUpToTheGround) {
    const auto& [trench, top_m, size_m] = GetParam();
    GreensJob job = thrust_job(0.0, 10.0, size_m);
    job.region = {trench.lon_deg, trench.lat_deg, 600e3, 600e3, 200e3, 0.0};
    earth::VolumeLayout layout;
    layout.materials = {{"crust", 3e10, 3e10, 0.0, std::nullopt},
                        {"mantle", 6e10, 6e10, 0.0, 6e18},
                        {"slab", 5e10, 5e10, 0.0, std::nullopt}};
    earth::SurfaceDefinition ground, moho, top, bottom;
    ground.name = "ground";
    ground.depth_m = 0.0;
    moho.name = "moho";
    moho.depth_m = 35e3;
    top.name = "slab-top";
    top.path = std::string(KANAME_SOURCE_DIR) + "/docs/examples/" + trench.file;
    top.smoothing_length_m = 10e3;
    bottom.name = "slab-bottom";
    bottom.below = "slab-top";
    bottom.thickness_m = 30e3;
    layout.surfaces = {ground, moho, top, bottom};
    layout.free_surface = "ground";
    layout.volumes.resize(3);
    layout.volumes[0].name = "slab";
    layout.volumes[0].top = "slab-top";
    layout.volumes[0].bottom = "slab-bottom";
    layout.volumes[0].material = 2;
    layout.volumes[1].name = "crust";
    layout.volumes[1].bottom = "moho";
    layout.volumes[1].material = 0;
    layout.volumes[2].name = "mantle";
    layout.volumes[2].material = 1;
    job.volumes = layout;
    build_volumes(job);
    // The ground goes down to the slab: what counts is the wedge between them.
    auto model = std::make_shared<earth::VolumeModel>(*job.volume_model->model);
    const double slab_m = model->surfaces[2].height.z(0.0, 0.0);
    model->surfaces[0].height = earth::HeightField(slab_m + top_m);
    model->surfaces[2].data = nullptr;
    job.volume_model =
        std::make_shared<const earth::BuiltVolumeModel>(earth::BuiltVolumeModel{model, {}});
    InterfaceGeometry interface;
    interface.of = "slab-top";
    interface.origin_lon_deg = trench.lon_deg;
    interface.origin_lat_deg = trench.lat_deg;
    interface.strike_deg = trench.strike_deg;
    interface.hat = fault::Hat::Bilinear;
    job.patches = test::unit_slip(3, 2, {test::kDipSlip});
    interface.spacing_strike_m = 40e3;
    interface.spacing_dip_m = 30e3;
    job.fault = interface;
    const JobGeometry geometry(job);

    // Hats in the trench have their upper half in the air, and more of it where the trench bends.
    // All that lies below the blunted tip slips, as far as nodes half an element apart show a hat
    // of 80 x 60 km: at most 0.25 (1/40 + 1/30) of it are lost per kilometre of the size.
    const double tip_m = kBlunted * kLeastAtTip * job.mesh.size_at_fault_m;
    double least = 1.0;
    for (const fault::UnitSource& source : patches(geometry).sources) {
        fault::FaultCoordinates at = source.patch.centre;
        for (Vec3 x = patches(geometry).surface->point(at);
             x.z > geometry.domain().ground_m(x.x, x.y) - tip_m;
             x = patches(geometry).surface->point(at)) {
            at.d += 250.0;
        }
        least = std::min(least, source.patch.shape(at));
    }
    EXPECT_GT(expect_sound_fault(geometry).least_peak_m, least - 0.1 * (size_m / 10e3));
}

const Trench kTrenches[] = {{"nankai/slab_top.csv", 134.95, 32.6, 247.6},
                            {"nankai/slab_top.csv", 136.9, 33.2, 245.7},
                            {"hellenic/slab2_hellenic.csv", 21.8, 33.3, 269.3},
                            {"hellenic/slab2_hellenic.csv", 25.4, 32.5, 288.1},
                            {"hellenic/slab2_hellenic.csv", 19.0, 35.1, 337.2},
                            {"tohoku/slab2_japan_trench.csv", 144.1, 38.85, 189.9},
                            {"tohoku/slab2_japan_trench.csv", 143.5, 37.05, 196.2},
                            {"tohoku/slab2_japan_trench.csv", 142.25, 35.4, 208.7}};

INSTANTIATE_TEST_SUITE_P(Examples, Trenches,
                         testing::Combine(testing::ValuesIn(kTrenches),
                                          testing::Values(0.0, 1e3, 3e3), testing::Values(10e3)));
INSTANTIATE_TEST_SUITE_P(TohokuFromThreeKilometres, Trenches,
                         testing::Combine(testing::Values(kTrenches[5], kTrenches[6], kTrenches[7]),
                                          testing::Values(3e3),
                                          testing::Values(12e3, 16e3, 20e3, 25e3, 30e3)));

}  // namespace
}  // namespace kaname::jobs::shallow_thrusts_test

#endif
