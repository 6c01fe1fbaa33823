// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/plan.hpp"
#include "solvers/base/error.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

namespace kaname::compute::job_from_request_test {
namespace {

v1::GreensBatch minimal_batch() {
    v1::GreensBatch batch;
    batch.set_name("tiny");
    v1::Material* rock = batch.mutable_structure()->add_materials();
    rock->set_name("rock");
    rock->set_vp_m_per_s(6000.0);
    rock->set_vs_m_per_s(3000.0);
    rock->set_density_kg_per_m3(2500.0);
    batch.mutable_structure()->add_layers()->set_material("rock");
    batch.mutable_fault()->mutable_plane()->set_dip_deg(30.0);
    return batch;
}

/// The job of a request whose defaults are filled.
jobs::GreensJob job_of(v1::GreensBatch batch, std::vector<request::RequestStation> stations = {}) {
    request::fill_defaults(batch);
    return job_from_request({std::move(batch), std::move(stations)}, "{}");
}

std::string field_of_rejection(const v1::GreensBatch& batch) {
    try {
        (void)job_of(batch);
    } catch (const ValidationError& error) {
        return error.violations().at(0).field;
    }
    return "";
}

TEST(JobFromRequest, TurnsVelocitiesIntoModuli) {
    const jobs::GreensJob job = job_of(minimal_batch());

    const earth::Material& rock = job.structure.materials.at(0);
    EXPECT_DOUBLE_EQ(rock.mu_pa, 2500.0 * 9e6);
    EXPECT_DOUBLE_EQ(rock.lambda_pa, 2500.0 * (36e6 - 18e6));
    EXPECT_EQ(rock.density_kg_m3, 2500.0);
    EXPECT_FALSE(rock.viscosity_pa_s);
}

TEST(JobFromRequest, TakesMeshFileWithRolesTablesAndConditions) {
    v1::GreensBatch batch = minimal_batch();
    batch.mutable_structure()->clear_layers();
    batch.mutable_region()->set_crs("none");
    batch.mutable_mesh()->mutable_file()->set_path("/a/model.msh");
    batch.mutable_mesh()->mutable_file()->set_sha256("aa");
    batch.mutable_mesh()->set_top("ground");
    v1::MeshFault& fault = *batch.mutable_fault()->mutable_mesh();
    fault.add_surfaces()->set_name("slab");
    fault.mutable_surfaces(0)->set_strike_deg(20.0);
    fault.add_surfaces()->set_name("splay");
    for (const char* name : {"one", "two"}) {
        v1::SlipSource& source = *fault.add_sources();
        source.set_name(name);
        v1::SlipTable& table = *source.add_slip();
        table.set_surface("splay");
        table.set_reach_m(50.0);
        table.mutable_file()->set_path(std::string("/a/") + name + ".csv");
        table.mutable_file()->set_sha256(name);
    }
    v1::MeshBoundary& bottom = *batch.mutable_boundaries()->add_surfaces();
    bottom.set_name("bottom");
    bottom.set_kind(v1::BoundarySide::KIND_FIXED);
    v1::MeshBoundary& sides = *batch.mutable_boundaries()->add_surfaces();
    sides.set_name("sides");
    sides.add_fixed("up");
    request::RequestStation station{"A", 0.0, 0.0, std::nullopt, "stations.list[0]"};
    station.plain = true;
    station.x_m = 7.0;

    const jobs::GreensJob job = job_of(batch, {station});

    EXPECT_FALSE(job.region.projected);
    EXPECT_TRUE(job.patches.sources.empty());
    EXPECT_EQ(job.stations.at(0).x_m, 7.0);
    const auto& file = std::get<jobs::MeshFileFaults>(job.fault);
    EXPECT_EQ(file.path, "/a/model.msh");
    EXPECT_EQ(file.top, "ground");
    EXPECT_EQ(file.surfaces.at(0).strike_deg, 20.0);
    EXPECT_EQ(file.surfaces.at(1).field, "fault.mesh.surfaces[1]");
    EXPECT_FALSE(file.surfaces.at(1).strike_deg);
    ASSERT_EQ(file.sources.size(), 2u);
    EXPECT_EQ(file.sources[1].tables.at(0).surface, "splay");
    EXPECT_EQ(file.sources[1].tables.at(0).path, "/a/two.csv");
    EXPECT_EQ(file.sources[1].tables.at(0).reach_m, 50.0);
    EXPECT_EQ(file.sources[1].tables.at(0).field, "fault.mesh.sources[1].slip[0]");
    EXPECT_NE(file.sources[1].key, file.sources[0].key);
    EXPECT_TRUE(file.boundaries.at(0).fixed[0] && file.boundaries.at(0).fixed[2]);
    EXPECT_FALSE(file.boundaries.at(1).fixed[0]);
    EXPECT_TRUE(file.boundaries.at(1).fixed[2]);
    const jobs::JobGeometry geometry(job);
    EXPECT_EQ(geometry.source_ids(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(geometry.domain().stations().at(0).x, 7.0);
}

TEST(JobFromRequest, KeepsGivenModuliAndViscosity) {
    v1::GreensBatch batch = minimal_batch();
    v1::Material* mantle = batch.mutable_structure()->add_materials();
    mantle->set_name("mantle");
    mantle->set_lambda_pa(7e10);
    mantle->set_mu_pa(6e10);
    mantle->set_viscosity_pa_s(1e19);

    const jobs::GreensJob job = job_of(batch);

    const earth::Material& material = job.structure.materials.at(1);
    EXPECT_EQ(material.lambda_pa, 7e10);
    EXPECT_EQ(material.mu_pa, 6e10);
    EXPECT_EQ(material.viscosity_pa_s, 1e19);
}

TEST(JobFromRequest, LayersNameMaterialsByIndex) {
    v1::GreensBatch batch = minimal_batch();
    v1::Material* mantle = batch.mutable_structure()->add_materials();
    mantle->set_name("mantle");
    mantle->set_lambda_pa(7e10);
    mantle->set_mu_pa(6e10);
    batch.mutable_structure()->mutable_layers(0)->set_bottom_depth_m(20000.0);
    batch.mutable_structure()->add_layers()->set_material("mantle");
    batch.mutable_structure()->add_below_interface()->set_material("mantle");

    const jobs::GreensJob job = job_of(batch);

    ASSERT_EQ(job.structure.layers.size(), 2u);
    EXPECT_EQ(job.structure.layers[0].material, 0);
    EXPECT_EQ(job.structure.layers[0].bottom_depth_m, 20000.0);
    EXPECT_EQ(job.structure.layers[1].material, 1);
    EXPECT_FALSE(job.structure.layers[1].bottom_depth_m);
    ASSERT_EQ(job.structure.below_interface.size(), 1u);
    EXPECT_EQ(job.structure.below_interface[0].material, 1);
}

TEST(JobFromRequest, CopiesRegionTimeMeshAndSolver) {
    v1::GreensBatch batch = minimal_batch();
    batch.mutable_region()->set_centre_lon_deg(135.0);
    batch.mutable_region()->set_centre_lat_deg(33.0);
    batch.mutable_region()->set_size_east_m(1.0);
    batch.mutable_region()->set_size_north_m(2.0);
    batch.mutable_region()->set_depth_m(3.0);
    batch.mutable_region()->set_azimuth_deg(4.0);
    batch.mutable_mesh()->set_size_at_fault_m(5.0);
    batch.mutable_mesh()->set_size_far_m(6.0);
    batch.mutable_mesh()->set_growth(0.5);
    batch.mutable_time()->set_step_s(9.0);
    batch.mutable_time()->set_end_s(90.0);
    batch.mutable_time()->set_alpha(0.75);
    batch.mutable_time()->add_epochs_s(0.0);
    batch.mutable_time()->add_epochs_s(90.0);
    batch.mutable_solver()->set_method("pcge");
    batch.mutable_solver()->set_predictor("ab2");
    batch.mutable_solver()->set_element("p2");
    batch.set_gravity("buoyancy");
    batch.mutable_mesh()->set_max_elements(77000);
    batch.mutable_solver()->set_tolerance(1e-6);
    batch.mutable_solver()->set_max_iterations(77);
    batch.mutable_output()->set_snap_tolerance_m(12.0);
    batch.mutable_output()->set_checkpoint("full");
    batch.mutable_output()->set_checkpoint_interval_s(0.0);

    request::fill_defaults(batch);
    const jobs::GreensJob job = job_from_request({batch, {}}, R"({"a":1})");

    EXPECT_EQ(job.region.centre_lon_deg, 135.0);
    EXPECT_EQ(job.region.centre_lat_deg, 33.0);
    EXPECT_EQ(job.region.size_east_m, 1.0);
    EXPECT_EQ(job.region.size_north_m, 2.0);
    EXPECT_EQ(job.region.depth_m, 3.0);
    EXPECT_EQ(job.region.azimuth_deg, 4.0);
    EXPECT_EQ(job.mesh.size_at_fault_m, 5.0);
    EXPECT_EQ(job.mesh.size_far_m, 6.0);
    EXPECT_EQ(job.mesh.growth, 0.5);
    EXPECT_EQ(job.time.step_s, 9.0);
    EXPECT_EQ(job.time.end_s, 90.0);
    EXPECT_EQ(job.time.alpha, 0.75);
    EXPECT_EQ(job.time.epochs_s, (std::vector<double>{0.0, 90.0}));
    EXPECT_EQ(job.solver.method, jobs::SolverMethod::Pcge);
    EXPECT_EQ(job.solver.predictor, jobs::PredictorKind::Ab2);
    EXPECT_EQ(job.solver.element, jobs::ElementChoice::P2);
    EXPECT_TRUE(job.buoyancy);
    EXPECT_EQ(job.mesh.sizes.max_elements, 77000);  // copied for layers too
    EXPECT_EQ(job.solver.tolerance, 1e-6);
    EXPECT_EQ(job.solver.max_iterations, 77);
    EXPECT_EQ(job.output.snap_tolerance_m, 12.0);
    EXPECT_EQ(job.output.checkpoint.mode, jobs::CheckpointMode::Full);
    EXPECT_EQ(job.output.checkpoint.interval_s, 0.0);
    EXPECT_EQ(job.specification_json, R"({"a":1})");
    EXPECT_FALSE(job.version.empty());
}

TEST(JobFromRequest, MapsTheInterfaceWithItsPatches) {
    v1::GreensBatch batch = minimal_batch();
    v1::Interface* interface = batch.mutable_fault()->mutable_interface();
    interface->mutable_surface()->set_path("/data/slab.csv");
    interface->mutable_surface()->set_sha256(std::string(64, 'a'));
    interface->set_min_depth_m(8000.0);
    interface->set_max_depth_m(90000.0);
    interface->set_smoothing_length_m(15000.0);
    interface->set_top(v1::Interface::TOP_SURFACE);
    v1::PatchGrid* patches = interface->mutable_patches();
    patches->set_origin_lon_deg(134.0);
    patches->set_origin_lat_deg(32.5);
    patches->set_strike_deg(250.0);
    patches->set_n_strike(3);
    patches->set_n_dip(2);
    patches->set_spacing_strike_m(40000.0);
    patches->set_spacing_dip_m(30000.0);
    patches->set_hat(v1::PatchGrid::HAT_BICUBIC);
    patches->add_components("dip_slip");

    const jobs::GreensJob job = job_of(batch);

    const auto& result = std::get<jobs::InterfaceGeometry>(job.fault);
    EXPECT_EQ(result.surface_path, "/data/slab.csv");
    EXPECT_EQ(result.min_depth_m, 8000.0);
    EXPECT_EQ(result.max_depth_m, 90000.0);
    EXPECT_EQ(result.smoothing_length_m, 15000.0);
    EXPECT_TRUE(result.reaches_surface);
    EXPECT_EQ(result.origin_lon_deg, 134.0);
    EXPECT_EQ(result.origin_lat_deg, 32.5);
    EXPECT_EQ(result.strike_deg, 250.0);
    EXPECT_EQ(job.patches.n_strike, 3);
    EXPECT_EQ(job.patches.n_dip, 2);
    EXPECT_EQ(result.spacing_strike_m, 40000.0);
    EXPECT_EQ(result.spacing_dip_m, 30000.0);
    EXPECT_EQ(result.hat, fault::Hat::Bicubic);
    ASSERT_EQ(job.patches.patches.size(), 6u);
    EXPECT_EQ(job.patches.patches[4].id, "s01d01");
    EXPECT_EQ(job.patches.patches[4].column, 1);
    EXPECT_EQ(job.patches.patches[4].row, 1);
    ASSERT_EQ(job.patches.sources.size(), 6u);
    EXPECT_EQ(job.patches.sources[4].id, "s01d01/dip_slip");
    EXPECT_EQ(job.patches.sources[4].patch, 4);
    EXPECT_EQ(job.patches.sources[4].component, "dip_slip");
    EXPECT_EQ(job.patches.sources[4].rake_deg, 90.0);
}

TEST(JobFromRequest, MapsThePlane) {
    v1::GreensBatch batch = minimal_batch();
    v1::Plane* plane = batch.mutable_fault()->mutable_plane();
    plane->set_centre_lon_deg(140.0);
    plane->set_centre_lat_deg(-10.0);
    plane->set_top_depth_m(2000.0);
    plane->set_strike_deg(45.0);
    plane->set_length_m(30000.0);
    plane->set_width_m(15000.0);
    plane->set_n_dip(4);

    const jobs::GreensJob job = job_of(batch);

    const auto& result = std::get<jobs::PlaneGeometry>(job.fault);
    EXPECT_EQ(result.centre_lon_deg, 140.0);
    EXPECT_EQ(result.centre_lat_deg, -10.0);
    EXPECT_EQ(result.top_depth_m, 2000.0);
    EXPECT_EQ(result.strike_deg, 45.0);
    EXPECT_EQ(result.dip_deg, 30.0);
    EXPECT_EQ(result.length_m, 30000.0);
    EXPECT_EQ(result.width_m, 15000.0);
    EXPECT_EQ(job.patches.n_strike, 1);
    EXPECT_EQ(job.patches.n_dip, 4);
}

TEST(JobFromRequest, EachOfSeveralFaultsHasItsPatches) {
    v1::GreensBatch batch = minimal_batch();
    const v1::Plane plane = batch.fault().plane();
    batch.mutable_fault()->clear_plane();
    for (const char* name : {"main", "splay"}) {
        v1::NamedFault& named = *batch.mutable_fault()->add_several();
        named.set_name(name);
        *named.mutable_plane() = plane;
    }
    batch.mutable_fault()->mutable_several(1)->mutable_plane()->set_n_strike(2);

    const jobs::GreensJob job = job_of(batch);

    const auto& faults = std::get<jobs::FaultsInOneMesh>(job.fault).faults;
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_TRUE(job.patches.patches.empty());
    EXPECT_EQ(faults[0].patches.patches.size(), 1u);
    ASSERT_EQ(faults[1].patches.sources.size(), 4u);
    EXPECT_EQ(faults[1].patches.patches[1].id, "splay/s01d00");
    EXPECT_EQ(faults[1].patches.sources[3].id, "splay/s01d00/dip_slip");
}

TEST(JobFromRequest, RakesBecomeComponents) {
    v1::GreensBatch batch = minimal_batch();
    batch.mutable_fault()->mutable_plane()->add_rake_deg(90.0);
    batch.mutable_fault()->mutable_plane()->add_rake_deg(-12.5);

    const jobs::GreensJob job = job_of(batch);

    ASSERT_EQ(job.patches.sources.size(), 2u);
    EXPECT_EQ(job.patches.sources[0].component, "rake_90");
    EXPECT_EQ(job.patches.sources[1].id, "s00d00/rake_-12.5");
    EXPECT_EQ(job.patches.sources[1].rake_deg, -12.5);
}

TEST(JobFromRequest, BothComponentsWhenNoneAreNamed) {
    const jobs::GreensJob job = job_of(minimal_batch());

    ASSERT_EQ(job.patches.sources.size(), 2u);
    EXPECT_EQ(job.patches.sources[0].component, "strike_slip");
    EXPECT_EQ(job.patches.sources[1].component, "dip_slip");
}

TEST(JobFromRequest, StationsKeepWhereTheyCameFrom) {
    const std::vector<request::RequestStation> stations = {
        {"A", 0.0, 0.0, std::nullopt, "gnss.csv:2"}, {"B", 1.0, 2.0, 0.0, "stations.list[0]"}};

    const jobs::GreensJob job = job_of(minimal_batch(), stations);

    ASSERT_EQ(job.stations.size(), 2u);
    EXPECT_FALSE(job.stations[0].depth_m);
    EXPECT_EQ(job.stations[0].field, "gnss.csv:2");
    EXPECT_EQ(job.stations[1].id, "B");
    EXPECT_EQ(job.stations[1].lon_deg, 1.0);
    EXPECT_EQ(job.stations[1].lat_deg, 2.0);
    EXPECT_EQ(job.stations[1].depth_m, 0.0);
}

TEST(JobFromRequest, BoundariesFollowTheOrderOfSides) {
    v1::GreensBatch batch = minimal_batch();
    batch.mutable_boundaries()->mutable_east()->set_kind(v1::BoundarySide::KIND_ROLLER);
    batch.mutable_boundaries()->mutable_south()->set_kind(v1::BoundarySide::KIND_FREE);

    const jobs::GreensJob job = job_of(batch);

    using enum jobs::BoundaryKind;
    const jobs::BoundaryKind expected[6] = {Fixed, Roller, Free, Fixed, Fixed, Free};
    for (int side = 0; side < 6; ++side) {
        EXPECT_EQ(job.boundaries.kind[side], expected[side]) << side;
    }
}

TEST(JobFromRequest, RejectionsNameTheField) {
    v1::GreensBatch unknown_material = minimal_batch();
    unknown_material.mutable_structure()->add_layers()->set_material("ice");
    v1::GreensBatch incomplete = minimal_batch();
    incomplete.mutable_structure()->mutable_materials(0)->clear_vs_m_per_s();
    v1::GreensBatch no_fault = minimal_batch();
    no_fault.clear_fault();
    v1::GreensBatch odd_component = minimal_batch();
    odd_component.mutable_fault()->mutable_plane()->add_components("opening");

    EXPECT_EQ(field_of_rejection(unknown_material), "structure.layers[1].material");
    EXPECT_EQ(field_of_rejection(incomplete), "structure.materials[0]");
    EXPECT_EQ(field_of_rejection(no_fault), "fault");
    EXPECT_EQ(field_of_rejection(odd_component), "fault.plane.components[0]");
}

TEST(JobFromRequest, PlannedSourcesAreThoseOfTheSetup) {
    v1::GreensBatch batch = minimal_batch();
    batch.mutable_region()->set_centre_lon_deg(135.0);
    batch.mutable_region()->set_centre_lat_deg(34.0);
    batch.mutable_region()->set_size_east_m(2e5);
    batch.mutable_region()->set_size_north_m(2e5);
    batch.mutable_region()->set_depth_m(1e5);
    v1::Plane* plane = batch.mutable_fault()->mutable_plane();
    plane->set_centre_lon_deg(135.0);
    plane->set_centre_lat_deg(34.0);
    plane->set_top_depth_m(5e3);
    plane->set_length_m(3e4);
    plane->set_width_m(2e4);
    plane->set_n_strike(3);
    plane->set_n_dip(2);
    batch.mutable_mesh()->set_size_at_fault_m(5e3);
    batch.mutable_mesh()->set_size_far_m(4e4);
    batch.mutable_mesh()->set_growth(0.5);
    for (const bool with_rakes : {false, true}) {
        if (with_rakes) {
            plane->add_rake_deg(90.0);
            plane->add_rake_deg(-12.25);
        }

        jobs::GreensJob job = job_of(batch);
        jobs::build_volumes(job);
        const jobs::JobGeometry geometry(job);
        v1::GreensBatch filled = batch;
        request::fill_defaults(filled);
        const std::vector<std::string> planned = request::source_ids(filled);

        ASSERT_EQ(planned.size(), patches(geometry).sources.size());
        for (std::size_t k = 0; k < planned.size(); ++k) {
            EXPECT_EQ(planned[k], patches(geometry).sources[k].id);
        }
    }
}

}  // namespace
}  // namespace kaname::compute::job_from_request_test
