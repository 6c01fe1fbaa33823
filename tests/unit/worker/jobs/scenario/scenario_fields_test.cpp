// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"
#include "worker/jobs/greens/observed_places.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::jobs::scenario_fields_test {
namespace {

/// Four steps of 2.5e8 s; model 0 slips at 0, model 1 twice as much at 5e8 s.
GreensJob scenario_job() {
    GreensJob job = plane_job();
    job.time.step_s = 2.5e8;
    job.time.epochs_s = {0.0, 5e8, 1e9};
    job.patches = {};
    job.scenario.emplace();
    for (const char* id : {"first", "second"}) {
        SlipModelSource model;
        model.id = id;
        slip_model::SlipPatch& patch = model.patches.emplace_back();
        patch.lon_deg = 135.0;
        patch.lat_deg = 34.0;
        patch.depth_m = 8e3;
        patch.length_m = patch.width_m = 5e3;
        patch.strike_deg = 20.0;
        patch.dip_deg = 40.0;
        patch.slip_m = 1.0;
        job.scenario->models.push_back(std::move(model));
    }
    job.scenario->events = {{.name = "first", .model = 0},
                            {.name = "second", .model = 1, .time_s = 5e8, .scale = 2.0}};
    job.scenario->volume.epochs_s = {0.0, 1e9};
    return test::built(job);
}

class FieldsOfAScenario : public testing::Test {
protected:
    FieldsOfAScenario() {
        for (const double size : {1.0, 10.0}) {
            io::SourceResult result;
            result.source_id = job.scenario->models[results.size()].id;
            result.step_time_s = steps.grid.times_s();
            for (std::size_t step = 0; step < 5; ++step) {
                for (std::size_t point = 0; point < points.places.size(); ++point) {
                    // Grid north only, different from step to step.
                    result.surface_m.insert(
                        result.surface_m.end(),
                        {0.0F, static_cast<float>(size * double(1 + step)), 0.5F});
                }
            }
            result.volume.n_snapshots = 2;
            result.volume.displacement_m.assign(2 * cut.vertex.size() * 3, size);
            for (std::size_t k = 0; k < 2 * cut.tets.size(); ++k) {
                const double epoch = k < cut.tets.size() ? 1.0 : 2.0;
                for (const double value : kStress) {
                    result.volume.stress_pa.push_back(epoch * size * value);
                    result.volume.strain.push_back(epoch * size * 1e-12 * value);
                }
            }
            results.emplace_back(std::move(result));
        }
        dataset.epochs_s = job.time.epochs_s;
    }
    void add() { add_fields(job, geometry.domain(), mesh, dofs, results, steps, dataset); }

    /// xx, yy, zz, xy, yz, xz of a model of size 1 at its first snapshot.
    static constexpr double kStress[6] = {2e4, -1e4, 3e4, 1e5, 5e3, -7e3};

    GreensJob job = scenario_job();
    jobs::JobGeometry geometry{job};
    Steps steps = time_steps(job);
    mesh::TetMesh mesh = geometry.build_mesh([](double, const char*) {});
    p2::DofMap dofs{mesh};
    fault::SplitNodes split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    SurfacePoints points = find_surface_points(mesh, dofs, split);
    fault::SplitVertices cut = fault::split_vertices(mesh, split);
    std::vector<std::optional<io::SourceResult>> results;
    io::GreensDataset dataset;
};

TEST_F(FieldsOfAScenario, SurfaceIsTheSumOfTheEventsFromTheirTimesOnInTrueNorth) {
    add();

    ASSERT_TRUE(dataset.surface);
    const io::SurfaceFields& surface = *dataset.surface;
    EXPECT_EQ(surface.epochs_s, job.time.epochs_s);
    ASSERT_EQ(surface.n_points(), points.places.size());
    ASSERT_EQ(surface.displacement_m.size(), 3 * surface.xyz_m.size());
    // Steps 0, 2, 4 of the first; 0 and 2 of the second, twice.
    const double expected[3] = {1.0, 3.0 + 2.0 * 10.0, 5.0 + 2.0 * 30.0};
    double most_turned = 0.0;
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
        for (std::size_t k = 0; k < surface.n_points(); ++k) {
            const float* u = surface.displacement_m.data() + (epoch * surface.n_points() + k) * 3;
            const double turn = convergence(geometry.domain(), points.places[k].snapped);
            EXPECT_NEAR(std::hypot(u[0], u[1]), expected[epoch], 1e-5 * expected[epoch]);
            EXPECT_NEAR(std::atan2(u[0], u[1]), -turn, 1e-6);
            EXPECT_NEAR(u[2], epoch == 0 ? 0.5 : 1.5, 1e-6);
            most_turned = std::max(most_turned, std::abs(turn));
        }
    }
    EXPECT_GT(most_turned, 0.5 * kDegree);
    for (std::size_t k = 0; k < surface.n_points(); ++k) {
        const auto at =
            geometry.domain().projection().forward({surface.lon_deg[k], surface.lat_deg[k]});
        EXPECT_NEAR(at.x_m, surface.xyz_m[3 * k], 1e-3);
        EXPECT_NEAR(at.y_m, surface.xyz_m[3 * k + 1], 1e-3);
    }
}

TEST_F(FieldsOfAScenario, FacesOfTheSurfaceGoRoundToTheLeftWithMiddlesBetweenTheirVertices) {
    add();

    const io::SurfaceFields& surface = *dataset.surface;
    const auto at = [&](std::int32_t point) {
        const double* x = surface.xyz_m.data() + 3 * point;
        return Vec3{x[0], x[1], x[2]};
    };
    for (std::size_t face = 0; face < surface.n_faces(); ++face) {
        const std::int32_t* p = surface.faces.data() + 6 * face;
        EXPECT_GT(cross(at(p[1]) - at(p[0]), at(p[2]) - at(p[0])).z, 0.0);
        for (int edge = 0; edge < 3; ++edge) {
            const Vec3 off = 0.5 * (at(p[edge]) + at(p[(edge + 1) % 3])) - at(p[3 + edge]);
            EXPECT_NEAR(dot(off, off), 0.0, 1e-6);
        }
    }
}

TEST_F(FieldsOfAScenario, VolumeIsTheSumOfTheSnapshotsOfAllModels) {
    add();

    ASSERT_TRUE(dataset.volume);
    const io::VolumeDataset& volume = *dataset.volume;
    EXPECT_EQ(volume.epochs_s, job.scenario->volume.epochs_s);
    EXPECT_EQ(volume.n_points(), cut.vertex.size());
    EXPECT_GT(volume.n_points(), mesh.xyz.size());
    EXPECT_EQ(volume.n_tets(), mesh.tets.size());
    EXPECT_EQ(volume.material, mesh.material);
    EXPECT_EQ(volume.materials, (std::vector<std::string>{"lid", "mantle"}));
    for (const float value : volume.displacement_m) {
        ASSERT_EQ(value, 11.0F);
    }
    for (std::size_t k = 0; k < volume.stress_pa.size(); ++k) {
        const double epoch = k < volume.stress_pa.size() / 2 ? 1.0 : 2.0;
        ASSERT_FLOAT_EQ(volume.stress_pa[k], static_cast<float>(epoch * 11.0 * kStress[k % 6]));
        ASSERT_FLOAT_EQ(volume.strain[k], static_cast<float>(epoch * 11e-12 * kStress[k % 6]));
    }
}

TEST_F(FieldsOfAScenario, CoulombChangeOfAUniformStressIsThatOfTheFormula) {
    // Strike north, vertical, left-lateral: n east, r north. Trace/3 = 4/3e4 of size 1.
    job.scenario->volume.receivers = {
        {.name = "plain", .strike_deg = 0.0, .dip_deg = 90.0, .rake_deg = 0.0, .friction = 0.4},
        {.name = "wet",
         .strike_deg = 0.0,
         .dip_deg = 90.0,
         .rake_deg = 180.0,
         .friction = 0.6,
         .skempton = 0.5}};

    add();

    ASSERT_EQ(dataset.volume->receivers.size(), 2u);
    const auto& plain = dataset.volume->receivers[0];
    const auto& wet = dataset.volume->receivers[1];
    ASSERT_EQ(plain.coulomb_pa.size(), 2 * mesh.tets.size());
    for (std::size_t k = 0; k < plain.coulomb_pa.size(); ++k) {
        const float size = k < mesh.tets.size() ? 11.0F : 22.0F;
        ASSERT_FLOAT_EQ(plain.shear_pa[k], size * 1e5F);
        ASSERT_FLOAT_EQ(plain.normal_pa[k], size * 2e4F);
        ASSERT_FLOAT_EQ(plain.coulomb_pa[k], size * (1e5F + 0.4F * 2e4F));
        ASSERT_NEAR(wet.coulomb_pa[k], size * (-1e5 + 0.6 * (2e4 - 0.5 * 4e4 / 3.0)), 0.5);
    }
}

TEST_F(FieldsOfAScenario, ReceiverAtAPlaceHasTheStressThereAndItsStrikeFromTrueNorth) {
    std::size_t wanted = 0;  // the easternmost element, where grid north differs most
    std::vector<Vec3> centres(mesh.tets.size());
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        for (const std::int32_t vertex : mesh.tets[tet]) {
            centres[tet] += 0.25 * mesh.xyz[vertex];
        }
        if (centres[tet].x > centres[wanted].x) {
            wanted = tet;
        }
    }
    const Vec3 place = 0.7 * centres[wanted] + 0.3 * mesh.xyz[mesh.tets[wanted][0]];
    // In equilibrium, with sigma_xx and sigma_yy.
    const auto sigma_xy = [](const Vec3& x) { return 1e6 + 20.0 * x.x - 11.0 * x.y + 37.0 * x.z; };
    const auto sigma_xx = [](const Vec3& x) { return 11.0 * x.x; };
    const auto sigma_yy = [](const Vec3& x) { return -20.0 * x.y; };
    for (auto& result : results) {
        std::ranges::fill(result->volume.stress_pa, 0.0);
        for (std::size_t k = 0; k < 2 * mesh.tets.size(); ++k) {  // at both epochs
            const Vec3& x = centres[k % mesh.tets.size()];
            result->volume.stress_pa[k * 6] = sigma_xx(x);
            result->volume.stress_pa[k * 6 + 1] = sigma_yy(x);
            result->volume.stress_pa[k * 6 + 3] = sigma_xy(x);
        }
    }
    const earth::LonLat at = geometry.domain().projection().inverse({place.x, place.y});
    job.scenario->volume.receivers = {{.name = "dam",
                                       .strike_deg = 30.0,
                                       .dip_deg = 90.0,
                                       .rake_deg = 0.0,
                                       .at = {{at.lon_deg, at.lat_deg, -place.z}}}};

    add();

    const auto& dam = dataset.volume->receivers.at(0);
    ASSERT_TRUE(dam.at);
    EXPECT_EQ(dam.at->tet, static_cast<std::int64_t>(wanted));
    ASSERT_EQ(dam.shear_pa.size(), 2u);
    const double turn = convergence(geometry.domain(), place);
    ASSERT_GT(std::abs(sigma_xy(place) / sigma_xy(centres[wanted]) - 1.0), 0.01);
    ASSERT_GT(std::abs(turn), 0.3 * kDegree);
    // n.S.r, n = (cos a, -sin a), r = (sin a, cos a); both models are solved, and alike.
    const double a = 30.0 * kDegree + turn;
    const double expected = 2.0 * (sigma_xy(place) * std::cos(2.0 * a) +
                                   0.5 * (sigma_xx(place) - sigma_yy(place)) * std::sin(2.0 * a));
    EXPECT_NEAR(dam.shear_pa[0], expected, 1e-5 * std::abs(expected));
    // A linear stress leaves nothing unknown.
    ASSERT_EQ(dam.shear_error_pa.size(), 2u);
    ASSERT_EQ(dam.coulomb_error_pa.size(), 2u);
    EXPECT_LT(dam.normal_error_pa[0], 1e-4 * std::abs(expected));
}

TEST_F(FieldsOfAScenario, ReceiverOutsideTheModelIsRefusedByName) {
    job.scenario->volume.receivers = {{.name = "in"}, {.name = "out", .at = {{135.0, 36.0, 1e3}}}};

    try {
        add();
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "output.volume.receivers[1]");
        EXPECT_NE(error.violations().at(0).message.find("135E 36N at 1000 m"), std::string::npos)
            << error.what();
    }
}

TEST_F(FieldsOfAScenario, AreLeftOutWhereAModelHasNotGotThem) {
    results[1]->surface_m.clear();
    add();
    EXPECT_FALSE(dataset.surface);
    EXPECT_TRUE(dataset.volume);

    dataset = {};
    dataset.epochs_s = job.time.epochs_s;
    results[1]->volume = {};
    add();
    EXPECT_FALSE(dataset.volume);

    results[1]->failed = true;
    results[0]->volume = {};
    add();
    EXPECT_FALSE(dataset.surface || dataset.volume);
    results[1] = std::nullopt;
    add();
    EXPECT_FALSE(dataset.surface || dataset.volume);
}

}  // namespace
}  // namespace kaname::jobs::scenario_fields_test
