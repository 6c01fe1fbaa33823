// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/wave_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "tests/unit/worker/jobs/voxel_fem/small_block.hpp"
#include "worker/jobs/voxel_fem/wave_package.hpp"

namespace kaname::jobs::wave_model_test {
namespace {

using voxelwave::Solid;

const Solid kSoil = Solid::of_speeds(1500.0, 600.0, 1900.0);
const Solid kRock = Solid::of_speeds(5000.0, 2900.0, 2600.0);

earth::Material material_of(const Solid& solid, const std::string& name) {
    earth::Material material;
    material.name = name;
    material.mu_pa = solid.shear_modulus_pa;
    material.lambda_pa = solid.bulk_modulus_pa - 2.0 / 3.0 * solid.shear_modulus_pa;
    material.density_kg_m3 = solid.density_kg_per_m3;
    return material;
}

WaveJob on_earth(const WaveEarth& earth) {
    WaveJob job = small_block(1);
    job.size_m = {4000.0, 3000.0, 2400.0};
    job.spacing_m = 100.0;
    job.base = earth;
    job.shapes.clear();
    job.snapshots_s.clear();
    job.end_s = 1.0;
    job.sources[0].time = source_time::TimeFunction::ricker(0.5, 2.0);
    job.sources[0].at = {{}, earth::LonLat{140.0, 36.0}, 500.0};
    job.receivers = {{"P0", "receivers[0]", {{}, earth::LonLat{140.002, 36.001}, {}}}};
    return job;
}

TEST(WaveModel, LaterShapesLieOverEarlierOnes) {
    WaveJob job = small_block(1);
    job.shapes.push_back({Solid(), WaveShape::Box{{-1e9, -1e9, 8.0}, {6.0, 1e9, 1e9}}});
    job.shapes.push_back({kRock, WaveShape::Sphere{{9.0, 4.0, 5.0}, 1.4}});
    job.sources[0].at.xyz_m = {9.0, 4.0, 10.0};
    job.receivers[0].at.xyz_m = {1.0, 1.5, 8.0};  // on the floor of the hole
    const WaveModel model = build_wave_model(job);
    EXPECT_TRUE(model.voxels.solid(0, 0, 9).is_void());
    EXPECT_FALSE(model.voxels.solid(6, 0, 9).is_void());
    EXPECT_EQ(model.voxels.solid(6, 3, 2).density_kg_per_m3, 7850.0) << "the bar";
    EXPECT_EQ(model.voxels.solid(8, 3, 4).density_kg_per_m3, 2600.0) << "the sphere";
    job.receivers[0].at.xyz_m[2] = 9.5;
    EXPECT_THROW((void)build_wave_model(job), ValidationError) << "in the hole";
}

TEST(WaveModel, LayersOfTheEarthFillVoxelsBelowSeaLevel) {
    WaveEarth earth;
    earth.centre = {140.0, 36.0};
    earth.depth_m = 2000.0;
    earth.layers.materials = {material_of(kSoil, "soil"), material_of(kRock, "rock")};
    earth.layers.layers = {{0, 300.0}, {1, std::nullopt}};
    const WaveModel model = build_wave_model(on_earth(earth));
    const auto density = [&](int z) { return model.voxels.solid(10, 10, z).density_kg_per_m3; };
    EXPECT_EQ(density(16), 2600.0);
    EXPECT_EQ(density(17), 1900.0) << "300 m deep and less";
    EXPECT_EQ(density(19), 1900.0);
    EXPECT_TRUE(model.voxels.solid(10, 10, 20).is_void()) << "above sea level";
    EXPECT_NEAR(model.sources_m[0][0], 2000.0, 1e-3) << "the centre";
    EXPECT_NEAR(model.sources_m[0][2], 1500.0, 1e-9);
    EXPECT_NEAR(model.receivers_m[0][2], 2000.0, 1e-9) << "on the ground";
    EXPECT_NEAR(model.receivers_m[0][0], 2000.0 + 180.0, 5.0) << "0.002 degrees east";
    EXPECT_NEAR(model.receivers_m[0][1], 1500.0 + 111.0, 2.0);
}

TEST(WaveModel, APatchIsDoubleCouplesWithTheModulusOfTheRockThere) {
    WaveEarth earth;
    earth.centre = {140.0, 36.0};
    earth.depth_m = 2000.0;
    earth.azimuth_rad = std::acos(-1.0) / 6.0;
    earth.layers.materials = {material_of(kSoil, "soil"), material_of(kRock, "rock")};
    earth.layers.layers = {{0, 300.0}, {1, std::nullopt}};
    WaveJob job = on_earth(earth);
    // Along the box's y, left-lateral, half of it in soil.
    PatchRequest patch;
    patch.place = {140.0, 36.0};
    patch.depth_m = 300.0;
    patch.strike_deg = 30.0;
    patch.dip_deg = 90.0;
    patch.length_m = 800.0;
    patch.width_m = 400.0;
    patch.slip_m = 2.0;
    job.sources[0].rupture = RuptureRequest{.patches = {patch}};
    const WaveModel model = build_wave_model(job);
    ASSERT_EQ(model.parts[0].size(), 32U) << "a part for each voxel";
    std::array<double, 6> sum{};
    for (const voxelwave::PointMoment& part : model.parts[0]) {
        for (std::size_t c = 0; c < 6; ++c) {
            sum[c] += part.moment_nm[c];
        }
    }
    const double moment_nm =
        2.0 * 800.0 * 400.0 * 0.5 * (kSoil.shear_modulus_pa + kRock.shear_modulus_pa);
    EXPECT_NEAR(sum[5] / moment_nm, 1.0, 1e-9) << "xy";
    EXPECT_NEAR(sum[0] / moment_nm, 0.0, 1e-9);
    EXPECT_NEAR(model.sources_m[0][1], 1500.0, 1e-3);
    const double soil = kSoil.shear_modulus_pa, rock = kRock.shear_modulus_pa;
    EXPECT_NEAR(model.sources_m[0][2], (1800.0 * soil + 1600.0 * rock) / (soil + rock), 1e-6)
        << "the middle of its moment";
    EXPECT_NEAR(model.parts[0][0].position_m[1], 1500.0 - 350.0, 1e-3) << "the first along strike";
    EXPECT_FALSE(model.parts[0][0].time) << "all go as the source does";

    job.sources[0].rupture->patches[0].depth_m = 100.0;  // up to 100 m above sea level
    try {
        (void)build_wave_model(job);
        FAIL() << "it is in the air";
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 1U);
        EXPECT_EQ(error.violations()[0].field, "sources[0].patches[0]");
    }
}

/// Two rows of two patches of 400 m x 400 m that dip by 45 degrees under the middle, the upper edge
/// at `top_m`; the files' frame is about the region's centre.
std::string slip_model_text(double top_m) {
    std::string text =
        "patch,east_centre_m,north_centre_m,depth_centre_m,length_m,width_m,strike_deg,dip_deg,"
        "rake_deg,slip_m,rupture_time_s,rise_time_s\n";
    const double half_m = 200.0 * std::sqrt(0.5);
    for (int k = 0; k < 4; ++k) {
        const int row = k / 2;
        const double down_m = (1.0 + 2.0 * row) * half_m;
        text += std::to_string(k) + "," + std::to_string(down_m) + "," +
                std::to_string(k % 2 == 0 ? -200.0 : 200.0) + "," + std::to_string(top_m + down_m) +
                ",400,400,0,45,90," + std::to_string(1.0 + k) + "," + std::to_string(0.1 * k) +
                ",0.4\n";
    }
    return text;
}

TEST(WaveModel, ASlipModelKeepsItsMomentAndItsTimes) {
    WaveEarth earth;
    earth.centre = {140.0, 36.0};
    earth.depth_m = 2000.0;
    earth.azimuth_rad = 0.3;
    earth.layers.materials = {material_of(kRock, "rock")};
    earth.layers.layers = {{0, std::nullopt}};
    const TemporaryFolder folder;
    write_file(folder.path() / "slip.csv", slip_model_text(300.0));
    WaveJob job = on_earth(earth);
    RuptureRequest rupture;
    rupture.path = folder.path() / "slip.csv";
    rupture.origin = earth.centre;
    rupture.start_s = 0.25;
    job.sources[0].rupture = rupture;

    const WaveModel model = build_wave_model(job);

    ASSERT_EQ(model.parts[0].size(), 4U * 16) << "a point for each voxel's side";
    const double mu_pa = kRock.shear_modulus_pa;
    const double moment_nm = mu_pa * 400.0 * 400.0 * (1.0 + 2.0 + 3.0 + 4.0);
    double sum = 0.0, first_s = 1e9;
    std::array<double, 6> tensor{};
    for (const voxelwave::PointMoment& part : model.parts[0]) {
        sum += slip_model::scalar_moment(part.moment_nm);
        ASSERT_TRUE(part.time);
        first_s = std::min(first_s, part.time->moment_rate_span().from_s);
        for (std::size_t c = 0; c < 6; ++c) {
            tensor[c] += part.moment_nm[c];
        }
    }
    EXPECT_NEAR(sum / moment_nm, 1.0, 1e-12);
    EXPECT_NEAR(tensor[2] / moment_nm, 1.0, 1e-12) << "a reverse fault of 45 degrees lifts";
    // Strike 0 is true north, which lies 0.3 rad to the left of the box's y.
    EXPECT_NEAR(tensor[0] / moment_nm, -std::cos(0.3) * std::cos(0.3), 1e-4);
    EXPECT_NEAR(tensor[5] / moment_nm, -0.5 * std::sin(0.6), 1e-4);
    EXPECT_NEAR(first_s, 0.25, 1e-9);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_NE(model.notes[0].find("64 points, Mw 4.96, "), std::string::npos) << model.notes[0];

    // A row of points out of eight lies in the air: its patches have 3 of 10 m of slip.
    write_file(folder.path() / "slip.csv", slip_model_text(-60.0));
    const Preflight found = preflight_waves(job);
    ASSERT_EQ(found.violations.size(), 1U);
    EXPECT_EQ(found.violations[0].field, "sources[0].rupture");
    EXPECT_NE(found.violations[0].message.find("8 of 64 points, with 7.5 % of its potency"),
              std::string::npos)
        << found.violations[0].message;
}

TEST(WaveModel, DatasetOfATurnedRegionHasThePlacesThatWereAskedFor) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    WaveEarth earth;
    earth.centre = {140.0, 36.0};
    earth.azimuth_rad = 0.5;
    earth.depth_m = 2000.0;
    earth.layers.materials = {material_of(kRock, "rock")};
    earth.layers.layers = {{0, std::nullopt}};
    const TemporaryFolder folder;
    const std::string path = folder.path() / "seismograms.h5";

    (void)package_waves(on_earth(earth), {}, path);

    const io::SeismogramDataset found = io::read_seismogram_rows(path);
    ASSERT_TRUE(found.globe);
    EXPECT_NEAR(found.globe->azimuth_deg, 28.6479, 1e-4);
    EXPECT_NEAR(found.sources[0].lon_deg, 140.0, 1e-7);
    EXPECT_NEAR(found.receivers[0].lon_deg, 140.002, 1e-7);
    EXPECT_NEAR(found.receivers[0].lat_deg, 36.001, 1e-7);
}

TEST(WaveModel, VolumesOfTheEarthHaveAGround) {
    WaveEarth earth;
    earth.centre = {140.0, 36.0};
    earth.depth_m = 2000.0;
    earth::VolumeLayout layout;
    layout.materials = {material_of(kSoil, "soil"), material_of(kRock, "rock")};
    layout.surfaces.resize(2);
    layout.surfaces[0] = {.name = "ground", .field = "structure.surfaces[0]", .depth_m = -200.0};
    layout.surfaces[1] = {.name = "base", .field = "structure.surfaces[1]", .depth_m = 250.0};
    layout.free_surface = "ground";
    layout.volumes.resize(2);
    layout.volumes[0] = {.name = "basin", .field = "structure.volumes[0]", .bottom = "base"};
    layout.volumes[0].material = 0;
    layout.volumes[1] = {.name = "rock", .field = "structure.volumes[1]"};
    layout.volumes[1].material = 1;
    earth.volumes = layout;
    const WaveModel model = build_wave_model(on_earth(earth));
    const auto solid = [&](int z) { return model.voxels.solid(10, 10, z); };
    EXPECT_EQ(solid(16).density_kg_per_m3, 2600.0);
    EXPECT_EQ(solid(18).density_kg_per_m3, 1900.0);
    EXPECT_EQ(solid(21).density_kg_per_m3, 1900.0) << "200 m above sea level";
    EXPECT_TRUE(solid(22).is_void());
    EXPECT_NEAR(model.receivers_m[0][2], 2200.0, 1e-9) << "on the ground";
}

class WaveGridFile : public testing::Test {
protected:
    /// vp, vs and density of `voxels`, which `of` gives by place.
    std::string write(const std::array<int, 3>& voxels, auto of) {
        std::vector<float> vp, vs, density;
        for (int z = 0; z < voxels[2]; ++z) {
            for (int y = 0; y < voxels[1]; ++y) {
                for (int x = 0; x < voxels[0]; ++x) {
                    const Solid solid = of(x, y, z);
                    const bool nothing = solid.is_void();
                    vp.push_back(nothing ? 0.0F : static_cast<float>(solid.vp_m_per_s()));
                    vs.push_back(nothing ? 0.0F : static_cast<float>(solid.vs_m_per_s()));
                    density.push_back(static_cast<float>(solid.density_kg_per_m3));
                }
            }
        }
        const std::string path = folder_.path() / "grid.nc";
        h5::File file(path, h5::File::Mode::Create);
        const h5::Dims dims = {std::uint64_t(voxels[2]), std::uint64_t(voxels[1]),
                               std::uint64_t(voxels[0])};
        file.write<float>("vp", vp, dims);
        file.write<float>("vs", vs, dims);
        file.write<float>("density", density, dims);
        file.close();
        return path;
    }
    WaveJob job_of(const std::string& path) {
        WaveJob job = small_block(1);
        job.base = WaveGrid{path};
        job.shapes.clear();
        return job;
    }

    TemporaryFolder folder_;
};

TEST_F(WaveGridFile, IsReadVoxelByVoxel) {
    const WaveModel model = build_wave_model(job_of(write({12, 8, 10}, [](int x, int y, int z) {
        return z == 9 && x > 8 ? Solid() : Solid::of_speeds(4000.0 + 10.0 * x, 2000.0 + y, 2500.0);
    })));
    EXPECT_NEAR(model.voxels.solid(3, 5, 2).vp_m_per_s(), 4030.0, 0.01);
    EXPECT_NEAR(model.voxels.solid(3, 5, 2).vs_m_per_s(), 2005.0, 0.01);
    EXPECT_TRUE(model.voxels.solid(9, 0, 9).is_void());
    EXPECT_TRUE(model.warnings.empty());
}

TEST_F(WaveGridFile, MustFitTheModelAndHoldSolids) {
    const auto solid = [](int, int, int) { return kRock; };
    EXPECT_THROW((void)build_wave_model(job_of(write({12, 8, 9}, solid))), ValidationError);
    try {
        (void)build_wave_model(job_of(write({12, 8, 10}, [](int x, int y, int z) {
            return x == 1 && y == 2 && z == 3 ? Solid{1e9, 1e9, 0.0} : kRock;
        })));
        FAIL() << "zero density";
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 1U);
        EXPECT_EQ(error.violations()[0].field, "model.grid");
        EXPECT_NE(error.violations()[0].message.find("z, y, x = 3, 2, 1"), std::string::npos)
            << error.violations()[0].message;
    }
}

}  // namespace
}  // namespace kaname::jobs::wave_model_test
