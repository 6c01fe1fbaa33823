// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::moment_test {
namespace {

double stated_moment(const SlipModel& model) {
    double sum = 0.0;
    for (const SlipPatch& patch : model.patches) {
        sum += patch.moment_nm.value();
    }
    return sum;
}

double of_structure(const SlipModel& model) {
    return moment_over_depth(model, [&](double z) { return model.rigidity->mu_pa(z); }).moment_nm;
}

TEST(Moment, OnePatchByHand) {
    SlipModel model;
    model.segments = {{0.0, 30.0}};
    SlipPatch patch;
    patch.length_m = 20e3;
    patch.width_m = 10e3;
    patch.depth_m = 10e3;
    patch.dip_deg = 30.0;
    patch.slip_m = 1.5;
    patch.opening_m = 3.0;  // no moment of shear
    model.patches = {patch};
    const auto halves = [](double depth_m) { return depth_m < 10e3 ? 20e9 : 40e9; };

    const MomentSum sum = moment_over_depth(model, halves);

    EXPECT_DOUBLE_EQ(sum.moment_nm, 30e9 * 200e6 * 1.5);
    EXPECT_DOUBLE_EQ(sum.potency_m3, 3e8);
    EXPECT_EQ(sum.max_slip_m, 1.5);
    EXPECT_EQ(sum.area_m2, 200e6);
    EXPECT_NEAR(sum.mw(), 6.5694952, 1e-6);  // (log10 9e18 - 9.1) / 1.5
}

TEST(Moment, PlacedPatchesGiveTheSame) {
    SlipModel model;
    model.geographic = false;
    model.segments = {{70.0, 40.0}};
    SlipPatch patch;
    patch.length_m = 20e3;
    patch.width_m = 10e3;
    patch.depth_m = 10e3;
    patch.strike_deg = 70.0;
    patch.dip_deg = 40.0;
    patch.rake_deg = 33.0;
    patch.slip_m = 1.5;
    patch.opening_m = 3.0;
    model.patches = {patch};
    const auto mu = [](double depth_m) { return 1e6 * depth_m; };

    const MomentSum flat = moment_over_depth(model, mu);
    const MomentSum placed =
        seismic_moment(place(model, Vec3{1e3, 2e3, 0.0}), [&](const Vec3& x) { return mu(-x.z); });

    EXPECT_NEAR(placed.moment_nm, flat.moment_nm, 1e-9 * flat.moment_nm);
    EXPECT_NEAR(placed.max_slip_m, 1.5, 1e-12);
}

TEST(Moment, NegativeOrMissingRigidityIsNamed) {
    SlipModel model = read_slip_model(real_file("wharton2016_usgs.fsp"));

    EXPECT_THROW((void)moment_over_depth(model, [](double) { return -1.0; }), Error);
    EXPECT_THROW((void)moment_over_depth(
                     model, [](double) { return std::numeric_limits<double>::quiet_NaN(); }),
                 Error);
}

// The rows' own moments add up to the header's: units of slip, area and moment are right.
TEST(Moment, RowsOfParamFilesAddUpToThePublishedMoment) {
    const SlipModel antofagasta = read_slip_model(real_file("antofagasta1995_usgs.param"));
    const SlipModel wharton = read_slip_model(real_file("wharton2016_usgs.param"));

    EXPECT_NEAR(stated_moment(antofagasta) / 2.1948157e21, 1.0, 1e-6);
    EXPECT_NEAR(stated_moment(wharton) / 6.0034719e20, 1.0, 1e-6);
}

// mu A s with the structure of the .fsp against the published moment.
TEST(Moment, SlipTimesStructureIsThePublishedMoment) {
    const SlipModel antofagasta = read_slip_model(real_file("antofagasta1995_usgs.fsp"));
    const SlipModel wharton = read_slip_model(real_file("wharton2016_usgs.fsp"));

    // Antofagasta: all patches lie in one layer; slip is rounded to 1e-4 m.
    EXPECT_NEAR(of_structure(antofagasta) / *antofagasta.published_moment_nm, 1.0, 3e-5);
    // Wharton: its publisher takes mu at three depths of each patch, here at sixteen; its upper
    // patches cross from sea water into rock.
    EXPECT_NEAR(of_structure(wharton) / *wharton.published_moment_nm, 1.00515, 2e-4);
}

TEST(Moment, PublishedMagnitudesUseAnOlderConstant) {
    // Mw = 2/3 log10(M0 in dyne cm) - 10.74 there, which is 0.0067 below (log10 M0 - 9.1) / 1.5;
    // the printed value is cut or rounded to 0.01.
    for (const char* name : {"antofagasta1995_usgs.fsp", "wharton2016_usgs.fsp"}) {
        const SlipModel model = read_slip_model(real_file(name));

        const double difference = moment_magnitude(of_structure(model)) - *model.published_mw;

        EXPECT_GT(difference, 0.0067) << name;
        EXPECT_LT(difference, 0.0067 + 0.012) << name;
    }
}

TEST(Moment, SamosHasThePublishedMomentAtItsCrustsRigidity) {
    const SlipModel model = read_slip_model(real_file("samos2020_okuwaki.fsp"));

    const MomentSum sum = moment_over_depth(model, [](double) { return 1.0; });

    // 147 patches of 25 km^2 whose slip adds up to 128.478 m.
    EXPECT_NEAR(sum.potency_m3, 25e6 * 128.478, 1.0);
    // The moment of its header needs 17.886 GPa; that is no number of the file, but its upper
    // crust's 3.5 km/s and 2.72 g/cm^3 give 33.3 GPa: header and slip differ by a factor of 1.86.
    EXPECT_NEAR(*model.published_moment_nm / sum.potency_m3, 17.886e9, 1e6);
    EXPECT_NEAR(moment_magnitude(*model.published_moment_nm), *model.published_mw, 0.005);
}

TEST(Moment, MauleAddsUpToItsMagnitude) {
    const SlipModel model = read_slip_model(real_file("maule2010_usgs.csv"));

    EXPECT_NEAR(moment_magnitude(stated_moment(model)), 8.86, 0.005);
    // Each row's moment needs a rigidity of one of the structure's layers: area and slip are right.
    for (const SlipPatch& patch : model.patches) {
        if (patch.slip_m > 0.5) {
            const double mu = *patch.moment_nm / (patch.area_m2() * patch.slip_m);
            EXPECT_GT(mu, 30e9) << patch.id;
            EXPECT_LT(mu, 68.5e9) << patch.id;
        }
    }
}

}  // namespace
}  // namespace kaname::slip_model::moment_test
