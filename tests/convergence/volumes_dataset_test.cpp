// SPDX-License-Identifier: BSD-3-Clause
// Jobs of volumes, through the verbs: the same Earth described by layers and by volumes gives the
// same motion, and a scenario on a slab's top takes all of its slip.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/earth/material_rules.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/io/mesh_file.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/unit/worker/jobs/volumes_job.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::volumes_dataset_test {
namespace {

constexpr double kLon_deg = 135.0;

class VolumesDataset : public Dataset {
protected:
    /// A crust of 15 km over a viscoelastic mantle, cut by a rectangle.
    void layers(double top_depth_m, double dip_deg, int n_strike) {
        job_.region = {kLon_deg, kLat_deg, 160e3, 160e3, 80e3, 0.0};
        job_.structure.materials = {rock(), {"mantle", 6e10, 6e10, 0.0, 6e18}};
        job_.structure.layers = {{0, 15e3}, {1, std::nullopt}};
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = kLon_deg;
        plane.centre_lat_deg = kLat_deg;
        plane.top_depth_m = top_depth_m;
        plane.strike_deg = 0.0;
        plane.dip_deg = dip_deg;
        plane.length_m = 32e3;
        plane.width_m = 16e3;
        job_.patches = test::unit_slip(n_strike, 1);
        job_.fault = plane;
        job_.stations = {{"hanging", kLon_deg + 0.2, kLat_deg, std::nullopt, "stations[0]"},
                         {"foot", kLon_deg - 0.15, kLat_deg + 0.1, std::nullopt, "stations[1]"},
                         {"end", kLon_deg + 0.1, kLat_deg - 0.25, std::nullopt, "stations[2]"},
                         {"deep", kLon_deg + 0.3, kLat_deg + 0.1, 2e3, "stations[3]"}};
        job_.mesh.size_at_fault_m = 2.5e3;
        job_.mesh.size_far_m = 40e3;
        job_.mesh.growth = 0.4;
        job_.time.step_s = 1e8;
        job_.time.end_s = 1e8;
    }
    /// Describes the same Earth by volumes.
    void volumes() {
        auto model = std::make_shared<earth::VolumeModel>();
        model->size_u_m = model->size_v_m = job_.region.size_east_m;
        model->depth_m = job_.region.depth_m;
        model->surfaces = {{"ground", earth::HeightField(0.0)},
                           {"moho", earth::HeightField(-15e3)}};
        model->materials = job_.structure.materials;
        model->volumes = {{"crust", -1, 1, earth::constant_rule(0)},
                          {"mantle", -1, -1, earth::constant_rule(1)}};
        job_.structure.layers.clear();
        job_.volumes.emplace();
        job_.volume_model =
            std::make_shared<const earth::BuiltVolumeModel>(earth::BuiltVolumeModel{model, {}});
        job_.mesh.sizes.at_surface_m = 6e3;
    }
    /// Largest difference of two datasets over the largest value, source by source.
    static double difference(const GreensDataset& one, const GreensDataset& two) {
        EXPECT_EQ(one.greens.size(), two.greens.size());
        const std::size_t size = one.greens.size() / one.sources.size();
        double worst = 0.0;
        for (std::size_t source = 0; source < one.sources.size(); ++source) {
            double largest = 0.0, off = 0.0;
            for (std::size_t k = source * size; k < (source + 1) * size; ++k) {
                largest = std::max(largest, std::abs(one.greens[k]));
                off = std::max(off, std::abs(one.greens[k] - two.greens[k]));
            }
            worst = std::max(worst, off / largest);
        }
        return worst;
    }
};

struct FaultCase {
    const char* name;
    double top_depth_m, dip_deg;
    int n_strike;
    double bound;  ///< half as large again as what was measured
};
class SameEarth : public VolumesDataset, public testing::WithParamInterface<FaultCase> {};

TEST_P(SameEarth, VolumesMoveAsLayersDo) {
    layers(GetParam().top_depth_m, GetParam().dip_deg, GetParam().n_strike);
    const GreensDataset by_layers = run();

    volumes();
    const GreensDataset by_volumes = run();

    EXPECT_EQ(summary_.sources_done, 2 * GetParam().n_strike);
    const double off = difference(by_layers, by_volumes);
    RecordProperty("difference", std::to_string(off));
    EXPECT_LT(off, GetParam().bound);
    EXPECT_EQ(by_volumes.material_sha256, by_layers.material_sha256);
    EXPECT_EQ(by_volumes.sources.size(), by_layers.sources.size());
}

INSTANTIATE_TEST_SUITE_P(Faults, SameEarth,
                         testing::Values(FaultCase{"BuriedUniform", 4e3, 40.0, 1, 0.06},
                                         FaultCase{"BreaksTheSurface", 0.0, 60.0, 1, 0.016},
                                         FaultCase{"Tapered", 3e3, 45.0, 2, 0.034}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Elements of a third of its width, whose faces do not follow the rectangle's edges: a slip that
/// falls off over an element instead of being projected is 4 % off.
TEST_F(VolumesDataset, AUniformRectangleIsOkadas) {
    layers(4e3, 30.0, 1);
    job_.region = {kLon_deg, kLat_deg, 400e3, 400e3, 200e3, 0.0};
    auto& plane = std::get<jobs::PlaneGeometry>(job_.fault);
    plane.length_m = 16e3;
    plane.width_m = 8e3;
    job_.structure.materials[1] = job_.structure.materials[0];
    job_.structure.materials[1].name = "mantle";
    job_.patches = test::unit_slip(1, 1, {test::kDipSlip});
    job_.mesh.size_at_fault_m = 2.67e3;
    job_.mesh.size_far_m = 60e3;
    job_.time.step_s = job_.time.end_s = 0.0;
    job_.stations.clear();
    const earth::Projection projection({kLon_deg, kLat_deg});
    std::vector<Vec3> places;
    for (int i = -2; i <= 2; ++i) {
        for (int j = -2; j <= 2; ++j) {
            places.push_back({1.3e3 + 8e3 * i, 0.7e3 + 8e3 * j, 0.0});
            const earth::LonLat at = projection.inverse({places.back().x, places.back().y});
            const std::string id = "S" + std::to_string(places.size());
            job_.stations.push_back({id, at.lon_deg, at.lat_deg, std::nullopt, "stations"});
        }
    }
    volumes();
    job_.mesh.sizes.at_surface_m = 0.0;

    const GreensDataset found = run();

    double off = 0.0, size = 0.0;
    const test::OkadaFault fault = {{0.0, 0.0, -4e3}, 0.0, 30.0 * kDegree, 16e3, 8e3};
    for (std::size_t k = 0; k < places.size(); ++k) {
        const Vec3 exact = test::okada_displacement(fault, {0.0, 1.0, 0.0}, {}, places[k]);
        for (int comp = 0; comp < 3; ++comp) {
            const double value = found.greens[3 * k + comp];
            off += (value - exact[comp]) * (value - exact[comp]);
            size += exact[comp] * exact[comp];
        }
    }
    RecordProperty("error", std::to_string(std::sqrt(off / size)));
    EXPECT_LT(std::sqrt(off / size), 0.015);
    EXPECT_NEAR(found.sources.at(0).potency_m3, 16e3 * 8e3, 1e-3 * 16e3 * 8e3);
}

/// Two patches on the slab of volumes_job.
TEST_F(VolumesDataset, AScenarioOnASlabTakesAllOfItsSlip) {
    job_ = jobs::volumes_job();
    job_.patches = {};
    job_.mesh.size_at_fault_m = 5e3;
    jobs::Scenario scenario;
    scenario.total_id = "total";
    jobs::SlipModelSource model;
    model.id = model.field = model.key = "mainshock";
    const earth::Projection projection({kLon_deg, kLat_deg});
    for (const double north_m : {-10e3, 10e3}) {
        const auto at = projection.inverse({0.0, north_m});
        slip_model::SlipPatch patch;
        patch.id = north_m < 0.0 ? "south" : "north";
        patch.lon_deg = at.lon_deg;
        patch.lat_deg = at.lat_deg;
        patch.depth_m = 25e3;
        patch.length_m = 20e3;
        patch.width_m = 15e3;
        patch.strike_deg = 0.0;
        patch.dip_deg = 15.0;
        patch.rake_deg = 90.0;
        patch.slip_m = 2.0;
        model.patches.push_back(patch);
    }
    scenario.models = {model};
    scenario.events.resize(1);
    scenario.events[0].name = "mainshock";
    job_.scenario = scenario;

    const jobs::Preflight found = stages().preflight(job_);
    const GreensDataset data = run();

    EXPECT_TRUE(found.violations.empty()) << found.violations[0].message;
    // mu A s of the smaller modulus beside the slab's top: that of the crust, 30 GPa.
    const double moment = 3e10 * 2 * 20e3 * 15e3 * 2.0;
    ASSERT_EQ(data.events.size(), 1u);
    EXPECT_NEAR(data.events[0].potency_ratio, 1.0, 0.05);
    EXPECT_NEAR(data.events[0].moment_nm / moment, 1.0, 0.05);
    EXPECT_NE(found.notes.at(0).find("2 patches, Mw 7."), std::string::npos) << found.notes[0];
    EXPECT_NEAR(data.stations.at(0).snapped_depth_m, -1000.0, 100.0);
    EXPECT_GT(value(data, 0, 0, 0).z, 0.1);  // above the thrust
}

TEST_F(VolumesDataset, ASecondJobOfTheSameModelSolvesOnTheFirstOnesMesh) {
    job_ = jobs::volumes_job();
    mesh();
    const std::string hash = io::mesh_sha256(io::read_mesh(path("mesh.h5")));
    const io::MeshLabels labels = io::read_mesh_labels(path("mesh.h5"));
    job_.stations.push_back({"S2", 135.3, kLat_deg, std::nullopt, "stations[1]"});
    job_.time.end_s = 2e9;
    mesh();

    EXPECT_EQ(io::mesh_sha256(io::read_mesh(path("mesh.h5"))), hash);
    EXPECT_EQ(labels.materials, (std::vector<std::string>{"crust", "mantle", "slab"}));
    EXPECT_NE(labels.report_text.find("watertight"), std::string::npos);
    EXPECT_EQ(labels.report_json.front(), '{');
}

}  // namespace
}  // namespace kaname::convergence::volumes_dataset_test

#endif
