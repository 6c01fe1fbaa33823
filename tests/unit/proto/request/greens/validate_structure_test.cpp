// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_structure_test {
namespace {

using namespace examples;

/// Violations after one change to the plane example's structure.
std::string after(const std::function<void(v1::Structure&)>& change) {
    v1::GreensBatch batch = plane_batch();
    change(*batch.mutable_structure());
    return lines(validate(batch));
}

std::string after_material(int index, const std::function<void(v1::Material&)>& change) {
    return after([&](v1::Structure& structure) { change(*structure.mutable_materials(index)); });
}

/// Violations after a change of the mantle's rheology, which has no time step.
std::string after_rheology(const std::function<void(v1::Material&)>& change) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_time()->clear_step_s();
    change(*batch.mutable_structure()->mutable_materials(1));
    return lines(validate(batch));
}

TEST(ValidateStructure, MaterialsNeedUniqueNames) {
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_name("crust"); }),
              "structure.materials[1].name: must be unique, got 'crust' as in "
              "structure.materials[0]\n"
              "structure.layers[1].material: must name one of structure.materials, got 'mantle'\n");
    EXPECT_EQ(after([](auto& s) {
                  s.add_materials()->set_lambda_pa(3e10);
                  s.mutable_materials(2)->set_mu_pa(3e10);
              }),
              "structure.materials[2].name: must be given\n");
}

TEST(ValidateStructure, SpeedsComeAllThree) {
    EXPECT_EQ(after_material(0, [](auto& m) { m.clear_vs_m_per_s(); }),
              "structure.materials[0].vs_m_per_s: must be given\n");
    EXPECT_EQ(after_material(0, [](auto& m) { m.clear_density_kg_per_m3(); }),
              "structure.materials[0].density_kg_per_m3: must be given\n");
    EXPECT_EQ(after_material(0, [](auto& m) { m.clear_vp_m_per_s(); }),
              "structure.materials[0].vp_m_per_s: must be given\n");
}

TEST(ValidateStructure, ModuliComeInPairs) {
    EXPECT_EQ(after_material(1, [](auto& m) { m.clear_mu_pa(); }),
              "structure.materials[1].mu_pa: must be given\n");
    EXPECT_EQ(after_material(1, [](auto& m) { m.clear_lambda_pa(); }),
              "structure.materials[1].lambda_pa: must be given\n");
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_density_kg_per_m3(3000); }), "");
}

TEST(ValidateStructure, SpeedsAndModuliExcludeEachOther) {
    EXPECT_EQ(after_material(0, [](auto& m) { m.set_mu_pa(3e10); }),
              "structure.materials[0]: give either vp_m_per_s, vs_m_per_s and density_kg_per_m3, "
              "or lambda_pa and mu_pa, not both\n");
}

TEST(ValidateStructure, AMaterialNeedsAStiffness) {
    EXPECT_EQ(after_material(1,
                             [](auto& m) {
                                 m.clear_mu_pa();
                                 m.clear_lambda_pa();
                             }),
              "structure.materials[1]: has no stiffness: give vp_m_per_s, vs_m_per_s and "
              "density_kg_per_m3, or lambda_pa and mu_pa\n");
}

TEST(ValidateStructure, TheBulkModulusIsPositive) {
    EXPECT_EQ(after_material(0,
                             [](auto& m) {
                                 m.set_vs_m_per_s(3000);
                                 m.set_vp_m_per_s(3464);
                             }),
              "structure.materials[0].vp_m_per_s: must exceed sqrt(4/3) vs = 3465 "
              "(bulk modulus > 0), got 3464\n");
    EXPECT_EQ(after_material(0,
                             [](auto& m) {
                                 m.set_vs_m_per_s(3000);
                                 m.set_vp_m_per_s(3465);
                             }),
              "");
    EXPECT_EQ(after_material(1,
                             [](auto& m) {
                                 m.set_mu_pa(3e10);
                                 m.set_lambda_pa(-2e10);
                             }),
              "structure.materials[1].lambda_pa: must exceed -2/3 mu = -2e+10 (bulk modulus > 0), "
              "got -2e+10\n");
}

TEST(ValidateStructure, ShearModulusAndViscosityArePositive) {
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_mu_pa(0); }),
              "structure.materials[1].mu_pa: must be > 0, got 0\n");
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_viscosity_pa_s(0); }),
              "structure.materials[1].viscosity_pa_s: must be > 0, got 0\n");
}

TEST(ValidateStructure, RheologiesAreWhole) {
    EXPECT_EQ(after_rheology([](auto& m) {
                  m.clear_viscosity_pa_s();
                  m.set_relaxed_mu_pa(1e10);
              }),
              "structure.materials[1].viscosity_pa_s: must be given: it is the dashpot of the "
              "rheology that relaxed_mu_pa describes\n");
    EXPECT_EQ(after_rheology([](auto& m) {
                  m.set_mu_pa(6e10);
                  m.set_relaxed_mu_pa(7e10);
              }),
              "structure.materials[1].relaxed_mu_pa: must be below mu = 6e+10, got 7e+10\n");
    EXPECT_EQ(after_rheology([](auto& m) { m.set_kelvin_mu_pa(1e10); }),
              "structure.materials[1].kelvin_viscosity_pa_s: must be given\n");
    EXPECT_EQ(after_rheology([](auto& m) {
                  m.set_kelvin_mu_pa(-1);
                  m.set_kelvin_viscosity_pa_s(1e18);
              }),
              "structure.materials[1].kelvin_mu_pa: must be > 0, got -1\n");
    EXPECT_EQ(after_rheology([](auto& m) {
                  m.set_relaxed_mu_pa(1e10);
                  m.set_kelvin_mu_pa(1e10);
                  m.set_kelvin_viscosity_pa_s(1e18);
              }),
              "structure.materials[1]: give either relaxed_mu_pa (standard linear solid) or "
              "kelvin_mu_pa and kelvin_viscosity_pa_s (Burgers), not both\n");
}

TEST(ValidateStructure, UnitSlipsOfRocksAreNoticed) {
    EXPECT_EQ(after_material(0, [](auto& m) { m.set_vs_m_per_s(3.9); }),
              "structure.materials[0].vs_m_per_s: must be in 50..20000, got 3.9\n");
    EXPECT_EQ(after_material(0, [](auto& m) { m.set_vp_m_per_s(6800e3); }),
              "structure.materials[0].vp_m_per_s: must be in 50..20000, got 6800000\n");
    EXPECT_EQ(after_material(0, [](auto& m) { m.set_density_kg_per_m3(2.9); }),
              "structure.materials[0].density_kg_per_m3: must be in 100..20000, got 2.9\n");
}

TEST(ValidateStructure, ModuliAndViscositiesThatNoRockHasAreNoticed) {
    EXPECT_EQ(
        after_material(1, [](auto& m) { m.set_lambda_pa(30); }),
        "structure.materials[1].lambda_pa: must be a modulus of rock, 1000000..1e+13, got 30; "
        "in GPa the key ends in _gpa\n");
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_mu_pa(65e18); }),
              "structure.materials[1].mu_pa: must be a modulus of rock, 1000000..1e+13, got "
              "6.5e+19\n");
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_lambda_pa(0.0); }), "");
    EXPECT_EQ(
        after_material(1, [](auto& m) { m.set_viscosity_pa_s(1e30); }),
        "structure.materials[1].viscosity_pa_s: must be in 1e+10..1e+26 (rock has 1e16..1e24), "
        "got 1e+30; a material without viscosity_pa_s is elastic\n");
    EXPECT_EQ(
        after_material(1, [](auto& m) { m.set_viscosity_pa_s(19); }),
        "structure.materials[1].viscosity_pa_s: must be in 1e+10..1e+26 (rock has 1e16..1e24), "
        "got 19; is it the logarithm, or in another unit?\n");
    EXPECT_EQ(after_material(1, [](auto& m) { m.set_viscosity_pa_s(1e25); }), "");
}

TEST(ValidateStructure, LayersNameKnownMaterials) {
    EXPECT_EQ(after([](auto& s) { s.mutable_layers(1)->set_material("mantel"); }),
              "structure.layers[1].material: must name one of structure.materials, got 'mantel'; "
              "did you mean mantle?\n");
    EXPECT_EQ(after([](auto& s) { s.mutable_layers(1)->clear_material(); }),
              "structure.layers[1].material: must be given\n");
}

TEST(ValidateStructure, OnlyTheLastLayerHasNoBottom) {
    EXPECT_EQ(after([](auto& s) { s.mutable_layers(0)->clear_bottom_depth_m(); }),
              "structure.layers[0].bottom_depth_m: must be given: only the last layer has none\n");
    EXPECT_EQ(after([](auto& s) { s.mutable_layers(1)->set_bottom_depth_m(90e3); }),
              "structure.layers[1].bottom_depth_m: must be absent: the last layer goes on to the "
              "bottom of the model\n");
}

TEST(ValidateStructure, LayersGoDown) {
    const auto add_on_top = [](double bottom_m) {
        return [bottom_m](v1::Structure& s) {
            v1::Layer& deepest = *s.add_layers();
            deepest.set_material("mantle");
            s.mutable_layers(1)->set_bottom_depth_m(bottom_m);
        };
    };

    EXPECT_EQ(after(add_on_top(40e3)), "");
    EXPECT_EQ(after(add_on_top(30e3)),
              "structure.layers[1].bottom_depth_m: must be > 30000 (bottom of the layer above), "
              "got 30000\n");
    EXPECT_EQ(after([](auto& s) { s.mutable_layers(0)->set_bottom_depth_m(0); }),
              "structure.layers[0].bottom_depth_m: must be > 0, got 0\n");
}

TEST(ValidateStructure, APlaneHasNothingBelowAnInterface) {
    EXPECT_EQ(after([](auto& s) { s.add_below_interface()->set_material("mantle"); }),
              "structure.below_interface: must be absent: a plane fault has no interface\n");
    // Nor have several planes, and the planes of slip models.
    const std::string refused =
        "structure.below_interface: must be absent: a plane fault has no interface\n";
    v1::GreensBatch several = plane_batch();
    several.mutable_structure()->add_below_interface()->set_material("mantle");
    v1::GreensBatch of_slip = several;
    v1::NamedFault& named = *several.mutable_fault()->add_several();
    named.set_name("one");
    *named.mutable_plane() = several.fault().plane();
    several.mutable_fault()->clear_plane();
    of_slip.set_schema("kaname.v1.Scenario");
    of_slip.clear_fault();
    EXPECT_EQ(lines(validate(several)), refused);
    EXPECT_NE(lines(validate(of_slip)).find(refused), std::string::npos);
}

TEST(ValidateStructure, LayersBelowTheInterfaceKeepTheSameRules) {
    v1::GreensBatch batch = read_yaml(kInterfaceYaml);
    batch.mutable_structure()->mutable_below_interface(0)->clear_bottom_depth_m();

    EXPECT_EQ(lines(validate(batch)),
              "structure.below_interface[0].bottom_depth_m: must be given: only the last layer has "
              "none\n");
}

}  // namespace
}  // namespace kaname::request::validate_structure_test
