// SPDX-License-Identifier: BSD-3-Clause
// Models of two real regions from the data beside this repository (shared/data), where that folder
// is; without it this file has no test.
#include <algorithm>
#include <numeric>

#include "solvers/base/units.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/earth/depth_profile.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/solvers/earth/model_files.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::earth::shared_models_test {
namespace {

const std::filesystem::path kShared =
    std::filesystem::path(KANAME_SOURCE_DIR).parent_path() / "shared/data";

/// The folder, when it is there.
std::vector<std::filesystem::path> folders() {
    return std::filesystem::is_directory(kShared) ? std::vector{kShared}
                                                  : std::vector<std::filesystem::path>{};
}

class SharedModels : public ModelFiles, public testing::WithParamInterface<std::filesystem::path> {
protected:
    static std::string file(const std::string& name) { return (GetParam() / name).string(); }

    /// Topography, a slab of 10 km under its Slab2 top, three crustal layers and the mantle.
    static VolumeLayout region(const std::string& topography, const std::string& slab,
                               const std::string& crust) {
        const auto crust_surface = [&](const std::string& name, const std::string& column) {
            SurfaceDefinition surface = gridded(name, file(crust));
            surface.column = column;
            return surface;
        };
        const auto layer = [&](const std::string& name, const std::string& bottom,
                               const std::string& columns_layer) {
            VolumeDefinition made = volume(name, "", bottom, -1);
            made.columns_path = file(crust);
            made.columns_layer = columns_layer;
            return made;
        };
        SurfaceDefinition top = gridded("slab top", file(slab));
        top.has_limits = true;
        top.min_depth_m = 8.0 * kKm;
        top.max_depth_m = 350.0 * kKm;
        top.smoothing_length_m = 10.0 * kKm;
        VolumeDefinition mantle = volume("mantle", "", "", -1);
        mantle.profile_path = file("earth_structure/1d/ak135.tvel");
        mantle.viscosity_pa_s = 1e19;
        mantle.steps = 12;
        VolumeLayout layout = model({gridded("topography", file(topography)), top,
                                     below("slab bottom", "slab top", 10.0 * kKm),
                                     crust_surface("upper middle", "top_middle_crust_km"),
                                     crust_surface("middle lower", "top_lower_crust_km"),
                                     crust_surface("moho", "top_mantle_km")},
                                    {volume("slab", "slab top", "slab bottom"),
                                     layer("upper crust", "upper middle", "upper_crust"),
                                     layer("middle crust", "middle lower", "middle_crust"),
                                     layer("lower crust", "moho", "lower_crust"), mantle});
        layout.free_surface = "topography";
        layout.size_u_m = layout.size_v_m = 1200.0 * kKm;
        layout.depth_m = 400.0 * kKm;
        return layout;
    }

    static void expect_sound(const BuiltVolumeModel& built) {
        const VolumeModel& model = *built.model;
        const std::vector<double> volumes = volumes_m3(model);
        const double box = model.size_u_m * model.size_v_m * model.depth_m;
        const double sum = std::accumulate(volumes.begin(), volumes.end(), 0.0);
        EXPECT_NEAR(sum / box, 1.0, 0.02);  // all but the sea, and the land above sea level
        for (std::size_t k = 0; k < volumes.size(); ++k) {
            EXPECT_GT(volumes[k], 1e-3 * box) << model.volumes[k].name;
        }
        for (double u = -590e3; u < 600e3; u += 73e3) {
            for (double v = -590e3; v < 600e3; v += 73e3) {
                for (double z = -399e3; z < 0.0; z += 1.7e3) {
                    const int volume = model.volume_at(u, v, z);
                    if (volume != kAir) {
                        const int m = model.volumes[volume].material->material_at(u, v, z);
                        ASSERT_GE(m, 0);
                        ASSERT_LT(m, static_cast<int>(model.materials.size()));
                    }
                }
            }
        }
        for (const Material& material : model.materials) {
            EXPECT_GT(material.mu_pa, 0.0) << material.name;
            EXPECT_GT(material.kappa_pa(), 0.0) << material.name;
        }
    }
};

TEST_P(SharedModels, NankaiHasTheDepthsOfItsData) {
    VolumeLayout layout =
        region("topography/gebco_10min_japan_nankai.asc", "plate_interface/slab2_nankai_ryu.csv",
               "earth_structure/crust1_japan_nankai.csv");
    layout.materials = {layout.materials[0]};
    layout.materials[0].mu_pa = layout.materials[0].lambda_pa = 40e9;
    const Projection projection({135.0, 33.5});

    const BuiltVolumeModel built = build_volume_model(layout, projection);
    const BuiltVolumeModel again = build_volume_model(layout, projection);

    expect_sound(built);
    const VolumeModel& model = *built.model;
    const auto height = [&](int surface, double lon, double lat) {
        const MapPoint p = projection.forward({lon, lat});
        return model.surfaces[surface].height.z(p.x_m, p.y_m);
    };
    EXPECT_NEAR(height(0, 134.0, 31.0), -4500.0, 500.0);   // Shikoku basin
    EXPECT_GT(height(0, 137.7, 36.0), 600.0);              // the mountains of central Japan
    EXPECT_NEAR(height(5, 133.5, 35.0), -34.12e3, 100.0);  // continental Moho
    EXPECT_NEAR(height(5, 134.5, 30.5), -12.52e3, 150.0);  // oceanic
    EXPECT_LT(height(1, 133.0, 33.8), height(1, 134.0, 33.0));
    // 10 km along the normal of a slab that dips gently here.
    EXPECT_NEAR(height(1, 134.0, 33.0) - height(2, 134.0, 33.0), 10.15e3, 0.15e3);
    EXPECT_EQ(model.materials.size(), again.model->materials.size());
    for (std::size_t k = 0; k < model.materials.size(); ++k) {
        EXPECT_EQ(model.materials[k].name, again.model->materials[k].name);
    }
    EXPECT_EQ(model.materials.back().viscosity_pa_s, 1e19);
}

TEST_P(SharedModels, HellenicArcIsReadFromSlab2sOwnGrid) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    VolumeLayout layout = region("topography/gebco_10min_hellenic.asc",
                                 "plate_interface/slab2_grd/hel_slab2_dep_02.24.18.grd",
                                 "earth_structure/crust1_hellenic.csv");
    layout.materials = {layout.materials[0]};
    layout.materials[0].mu_pa = layout.materials[0].lambda_pa = 40e9;
    layout.azimuth_rad = -30.0 * kDegree;

    expect_sound(build_volume_model(layout, Projection({24.0, 36.0})));
}

TEST_P(SharedModels, Slab2sGridAndItsTextCopyAgree) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const GriddedSurface grid =
        read_surface_file(file("plate_interface/slab2_grd/hel_slab2_dep_02.24.18.grd"), {});
    const GriddedSurface text = read_surface_file(file("plate_interface/slab2_hellenic.csv"), {});

    int compared = 0;
    for (double lon = 20.0; lon < 30.0; lon += 0.37) {
        for (double lat = 34.0; lat < 40.0; lat += 0.37) {
            const double a = grid.depth_at(lon, lat);
            const double b = text.depth_at(lon, lat);
            if (std::isfinite(a) && std::isfinite(b)) {
                EXPECT_NEAR(a, b, 10.0) << lon << " " << lat;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 100);
}

TEST_P(SharedModels, TwoTopographiesAgreeWhereBothAre) {
    const GriddedSurface etopo =
        read_surface_file(file("topography/etopo1_1min_tohoku_139E147E34N41N.asc"), {});
    const GriddedSurface gebco =
        read_surface_file(file("topography/gebco_10min_japan_nankai.asc"), {});

    std::vector<double> apart;
    for (double lon = 139.5; lon < 146.5; lon += 0.31) {
        for (double lat = 34.5; lat < 40.5; lat += 0.31) {
            apart.push_back(std::abs(etopo.depth_at(lon, lat) - gebco.depth_at(lon, lat)));
        }
    }
    std::sort(apart.begin(), apart.end());

    EXPECT_LT(apart[apart.size() / 2], 100.0);
}

TEST_P(SharedModels, NetcdfTextAttributesOfFixedLengthAreRead) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const h5::File grid(file("plate_interface/slab2_grd/hel_slab2_dep_02.24.18.grd"),
                        h5::File::Mode::Read);

    EXPECT_EQ(grid.string_attribute("/", "Conventions"), "COARDS, CF-1.5");
}

TEST_P(SharedModels, OneDimensionalModelsKeepTheirJumps) {
    const DepthProfile prem = read_depth_profile(file("earth_structure/1d/prem.nd"));
    const DepthProfile ak135 = read_depth_profile(file("earth_structure/1d/ak135f_no_mud.nd"));
    const DepthProfile iasp91 = read_depth_profile(file("earth_structure/1d/iasp91.tvel"));

    EXPECT_EQ(prem.jumps(0.0, 300e3), (std::vector<double>{15e3, 24.4e3, 220e3}));
    EXPECT_EQ(ak135.jumps(0.0, 300e3), (std::vector<double>{20e3, 35e3}));
    EXPECT_EQ(iasp91.jumps(0.0, 300e3), (std::vector<double>{20e3, 35e3}));
    EXPECT_EQ(iasp91.rows.front().speeds.vp_m_per_s, 5800.0);
}

INSTANTIATE_TEST_SUITE_P(Shared, SharedModels, testing::ValuesIn(folders()),
                         [](const auto&) { return std::string("Data"); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedModels);

}  // namespace
}  // namespace kaname::earth::shared_models_test

#endif
