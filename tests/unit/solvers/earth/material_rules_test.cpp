// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/material_rules.hpp"

#include "tests/unit/solvers/earth/model_files.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::earth::material_rules_test {
namespace {

class MaterialRules : public ModelFiles {
protected:
    VolumeDefinition profile(const std::string& name, const std::string& path) const {
        VolumeDefinition made = volume(name, "", "", -1);
        made.profile_path = path;
        return made;
    }
    VolumeDefinition columns(const std::string& name, const std::string& path,
                             const std::string& layer) const {
        VolumeDefinition made = volume(name, "", "", -1);
        made.columns_path = path;
        made.columns_layer = layer;
        return made;
    }
    /// Cells of one degree, 2 x 2 of them about the middle of the model; the north-eastern one is
    /// oceanic: no sediment, and the crust is another.
    std::string table() const {
        return write("crust.csv",
                     "lon_deg,lat_deg,top_water_km,top_sed_km,top_crust_km,top_mantle_km,vp_water,"
                     "vp_sed,vp_crust,vp_mantle,vs_water,vs_sed,vs_crust,vs_mantle,rho_water,"
                     "rho_sed,rho_crust,rho_mantle\n"
                     "134.5,34.5,0,0,-2,-30,1.5,4,6,8,0,2,3.5,4.5,1,2.4,2.7,3.3\n"
                     "135.5,34.5,0,-3,-3,-12,1.5,5,7,8,0,2.9,4.0,4.5,1,2.4,3.0,3.3\n"
                     "134.5,33.5,0,0,-2,-30,1.5,4,6,8,0,2,3.5,4.5,1,2.4,2.7,3.3\n"
                     "135.5,33.5,0,0,-2,-30,1.5,4.2,6,8,0,2.1,3.5,4.5,1,2.4,2.7,3.3\n");
    }
};

TEST_F(MaterialRules, AProfileBecomesStepsNamedByTheirDepths) {
    const std::string path = write("a.nd",
                                   "0 5.8 3.4 2.7\n20 5.8 3.4 2.7\n20 8.0 4.5 3.3\n"
                                   "60 8.0 4.5 3.3\n60 8.0 4.2 3.3\n500 8.0 4.2 3.3\n");
    VolumeLayout layout = model({}, {profile("earth", path)});
    layout.volumes[0].viscosity_pa_s = 1e19;

    const BuiltVolumeModel built = build(layout);

    const std::vector<Material>& materials = built.model->materials;
    const MaterialRule& rule = *built.model->volumes[0].material;
    ASSERT_EQ(materials.size(), 5U);  // two constant ones come first
    EXPECT_EQ(materials[2].name, "earth[0-20 km]");
    EXPECT_EQ(materials[3].name, "earth[20-60 km]");
    EXPECT_EQ(materials[4].name, "earth[60-100 km]");
    EXPECT_EQ(rule.material_at(0.0, 0.0, 500.0), 2);
    EXPECT_EQ(rule.material_at(0.0, 0.0, -19.9e3), 2);
    EXPECT_EQ(rule.material_at(9e4, 0.0, -20.1e3), 3);
    EXPECT_EQ(rule.material_at(0.0, 0.0, -99e3), 4);
    EXPECT_NEAR(materials[3].mu_pa, 3300.0 * 4500.0 * 4500.0, 1.0);
    EXPECT_NEAR(materials[3].lambda_pa, 3300.0 * (8e3 * 8e3 - 2.0 * 4500.0 * 4500.0), 1.0);
    EXPECT_EQ(materials[3].density_kg_m3, 3300.0);
    EXPECT_EQ(materials[4].viscosity_pa_s, 1e19);
    expect_text(built.notes.at(0), {"volume 'earth': 3 materials", "0-100 km"});
}

TEST_F(MaterialRules, OnlyTheDepthsThatAVolumeReachesAreCut) {
    const std::string path = write("a.csv", "depth_km,vp,vs,density\n0,6,3.5,2.7\n100,9,5,3.7\n");
    VolumeLayout layout =
        model({flat("moho", 40e3)}, {volume("crust", "", "moho"), profile("mantle", path)});
    layout.volumes[1].steps = 4;

    const BuiltVolumeModel built = build(layout);

    ASSERT_EQ(built.model->materials.size(), 6U);
    EXPECT_EQ(built.model->materials[2].name, "mantle[40-55 km]");
    EXPECT_EQ(built.model->materials[5].name, "mantle[85-100 km]");
    // Mean of a line: its value at the middle.
    EXPECT_NEAR(built.model->materials[2].density_kg_m3, 2700.0 + 10.0 * 47.5, 1e-6);
}

TEST_F(MaterialRules, AProfileThatIsFluidOrHasTooManyLayersIsRefused) {
    const std::string fluid =
        write("fluid.nd",
              "0 1.5 0 1.0\n3 1.5 0 1.0\n3 6 3.5 2.7\n50 6 3.5 2.7\n50 7 3.9 3\n99 7 3.9 3\n");
    VolumeLayout layout = model({}, {profile("earth", fluid)});
    const std::string at_the_top = refusal(layout);
    layout = model({flat("floor", 3e3)}, {volume("sea", "", "floor"), profile("earth", fluid)});
    layout.volumes[1].steps = 1;

    expect_text(at_the_top, {"structure.volumes[0].profile_path: volume 'earth'", "vs > 0",
                             "not so at 0-3 km"});
    expect_text(refusal(layout),
                {"structure.volumes[1].steps: volume 'earth': must be at least 2"});
}

TEST_F(MaterialRules, CellsWithEqualRowsShareAMaterial) {
    const BuiltVolumeModel built = build(model({}, {columns("crust", table(), "crust")}));

    const std::vector<Material>& materials = built.model->materials;
    const MaterialRule& rule = *built.model->volumes[0].material;
    ASSERT_EQ(materials.size(), 4U);
    EXPECT_EQ(materials[2].name, "crust[134.5,34.5]");
    EXPECT_EQ(materials[3].name, "crust[135.5,34.5]");
    EXPECT_NEAR(materials[3].mu_pa, 3000.0 * 16e6, 1.0);
    EXPECT_EQ(rule.material_at(-40e3, 40e3, -5e3), 2);
    EXPECT_EQ(rule.material_at(40e3, 40e3, -5e3), 3);
    EXPECT_EQ(rule.material_at(40e3, -40e3, -5e3), 2);
    EXPECT_EQ(rule.material_at(1e9, 1e9, -5e3), 3);
}

TEST_F(MaterialRules, CellsWithoutTheLayerTakeTheNearestThatHasIt) {
    const BuiltVolumeModel built = build(model({}, {columns("sediment", table(), "sed")}));

    const std::vector<Material>& materials = built.model->materials;
    const MaterialRule& rule = *built.model->volumes[0].material;
    ASSERT_EQ(materials.size(), 4U);
    EXPECT_EQ(materials[3].name, "sediment[135.5,33.5]");
    // A degree of longitude is shorter than one of latitude: the western cell is nearer.
    EXPECT_EQ(rule.material_at(40e3, 40e3, -1e3), 2);
    EXPECT_EQ(rule.material_at(40e3, -40e3, -1e3), 3);
    expect_text(built.notes.at(0), {"1 cells without 'sed'"});
}

TEST_F(MaterialRules, ATableThatCoversAPartIsNotedAndOneElsewhereRefused) {
    VolumeLayout layout = model({}, {columns("crust", table(), "crust")});
    layout.size_u_m = 400e3;
    expect_text(build(layout).notes.at(0), {"% of the plan lies outside"});

    const std::string text = [&] {
        try {
            (void)build_volume_model(layout, Projection({20.0, 10.0}));
        } catch (const ValidationError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    }();

    expect_text(text, {"structure.volumes[0].columns_path: volume 'crust'",
                       "(longitude 134.00..136.00, latitude 33.00..35.00) does not overlap the "
                       "region (longitude 18."});
}

TEST_F(MaterialRules, ATableAtFaultIsNamedWithThePlace) {
    const std::string head = "lon_deg,lat_deg,vp_crust,vs_crust,rho_crust\n";
    const auto text = [&](const std::string& rows, const std::string& layer = "crust") {
        return refusal(model({}, {columns("crust", write("t.csv", head + rows), layer)}));
    };

    expect_text(text("134,34,6,3,2.7\n135,34,nan,3,2.7\n134,35,6,3,2.7\n135,35,6,3,2.7\n"),
                {"structure.volumes[0].columns_path: volume 'crust'",
                 ":3: vp_crust at longitude 135.00, latitude 34.00 is nan"});
    expect_text(text("134,34,6,3,2.7\n135,34,6,6,2.7\n134,35,6,3,2.7\n135,35,6,3,2.7\n"),
                {":3: crust at longitude 135.00", "vp > sqrt(4/3) vs"});
    expect_text(text("134,34,6,0,2.7\n135,35,6,0,2.7\n"), {"no cell has the layer 'crust'"});
    expect_text(text("134,34,6,3,2.7\n135,34,6,3,2.7\n", "mantle"),
                {"has no column vp_mantle; the table's layers: crust"});
    expect_text(text("134,34,6,3,2.7\n134,34,6,3,2.7\n135,35,6,3,2.7\n"), {"is given twice"});
}

}  // namespace
}  // namespace kaname::earth::material_rules_test

#endif
