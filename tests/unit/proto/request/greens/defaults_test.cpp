// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/defaults.hpp"

#include <functional>

#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::defaults_test {
namespace {

using namespace examples;

TEST(Defaults, FillsWhatTheProtoDocuments) {
    v1::GreensBatch batch = plane_batch();

    fill_defaults(batch);

    EXPECT_EQ(batch.time().alpha(), 0.5);
    EXPECT_EQ(batch.solver().method(), "default");
    EXPECT_EQ(batch.solver().tolerance(), 1e-8);
    EXPECT_EQ(batch.solver().max_iterations(), 500u);
    EXPECT_EQ(batch.solver().predictor(), "projection");
    EXPECT_EQ(batch.solver().element(), "auto");
    EXPECT_EQ(batch.mesh().growth(), 0.3);
    EXPECT_EQ(batch.output().snap_tolerance_m(), 10000.0);
    EXPECT_EQ(batch.boundaries().top().kind(), v1::BoundarySide::KIND_FREE);
    for (const auto* side :
         {&batch.boundaries().west(), &batch.boundaries().east(), &batch.boundaries().south(),
          &batch.boundaries().north(), &batch.boundaries().bottom()}) {
        EXPECT_EQ(side->kind(), v1::BoundarySide::KIND_FIXED);
    }
    EXPECT_EQ(batch.fault().plane().components_size(), 2);
    EXPECT_EQ(batch.fault().plane().n_strike(), 1u);
    EXPECT_EQ(batch.fault().plane().n_dip(), 1u);
}

TEST(Defaults, FillsAnInterface) {
    v1::GreensBatch batch = read_yaml(kInterfaceYaml);

    fill_defaults(batch);

    const v1::Interface& interface = batch.fault().interface();
    EXPECT_EQ(interface.min_depth_m(), 8000.0);
    EXPECT_EQ(interface.top(), v1::Interface::TOP_BURIED);
    EXPECT_EQ(interface.patches().hat(), v1::PatchGrid::HAT_BILINEAR);
    EXPECT_EQ(interface.patches().components_size(), 2);
}

TEST(Defaults, GivesBlockJacobiMoreIterations) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_solver()->set_method("pcge");

    fill_defaults(batch);

    EXPECT_EQ(batch.solver().max_iterations(), 20000u);
}

TEST(Defaults, GravityActsWhereEveryDensityIsKnown) {
    const auto gravity = [](const std::function<void(v1::GreensBatch&)>& change) {
        v1::GreensBatch batch = plane_batch();
        change(batch);
        fill_defaults(batch);
        return batch.gravity();
    };
    const auto all_densities = [](v1::GreensBatch& batch) {
        for (v1::Material& material : *batch.mutable_structure()->mutable_materials()) {
            material.set_density_kg_per_m3(3300.0);
        }
    };
    EXPECT_EQ(gravity([](v1::GreensBatch&) {}), "none");  // one has moduli alone
    EXPECT_EQ(gravity(all_densities), "buoyancy");
    EXPECT_EQ(gravity([&](v1::GreensBatch& batch) {
                  all_densities(batch);
                  batch.set_gravity("auto");
              }),
              "buoyancy");
    EXPECT_EQ(gravity([&](v1::GreensBatch& batch) {
                  all_densities(batch);
                  batch.set_gravity("none");
              }),
              "none");
    EXPECT_EQ(gravity([&](v1::GreensBatch& batch) {
                  all_densities(batch);
                  batch.mutable_solver()->set_method("multistep2018");
              }),
              "none");
}

TEST(Defaults, AsksForNoComponentsBesideRakes) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_fault()->mutable_plane()->add_rake_deg(90.0);

    fill_defaults(batch);

    EXPECT_EQ(batch.fault().plane().components_size(), 0);
}

TEST(Defaults, LeavesGivenValuesAlone) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_time()->set_alpha(1.0);
    batch.mutable_solver()->set_predictor("ab2");
    batch.mutable_boundaries()->mutable_west()->set_kind(v1::BoundarySide::KIND_ROLLER);

    fill_defaults(batch);

    EXPECT_EQ(batch.time().alpha(), 1.0);
    EXPECT_EQ(batch.solver().predictor(), "ab2");
    EXPECT_EQ(batch.boundaries().west().kind(), v1::BoundarySide::KIND_ROLLER);
}

TEST(Defaults, AreValidAndFilledOnce) {
    v1::GreensBatch batch = plane_batch();
    fill_defaults(batch);
    v1::GreensBatch again = batch;

    fill_defaults(again);

    EXPECT_EQ(again.SerializeAsString(), batch.SerializeAsString());
    EXPECT_EQ(lines(validate(batch)), "");
}

}  // namespace
}  // namespace kaname::request::defaults_test
