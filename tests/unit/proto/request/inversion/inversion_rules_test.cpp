// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/inversion_rules.hpp"

#include "tests/unit/proto/request/inversion/example_inversion.hpp"

namespace kaname::request::inversion_rules_test {
namespace {

using namespace examples;

/// One broken rule: lines at the end of the example, and what is said of them but for the line.
void expect(const InversionFolder& folder, const std::string& yaml, const std::string& message) {
    const std::string error = folder.error(yaml);
    EXPECT_TRUE(error == message || error.starts_with(message + " (")) << yaml << "\n" << error;
}

class InversionRules : public ::testing::Test {
protected:
    void also(const std::string& lines, const std::string& message) {
        expect(folder_, and_also(lines + "\n"), message);
    }
    void in_the_set(const std::string& line, const std::string& message) {
        expect(folder_, in_set(line), message);
    }
    InversionFolder folder_;
};

TEST_F(InversionRules, TheExampleKeepsThem) {
    EXPECT_EQ(folder_.error(kInversionYaml), "");
}

TEST_F(InversionRules, SchemaGreensAndDataMustBeThere) {
    expect(folder_, with(kInversionYaml, "kaname.v1.Inversion", "kaname.v1.Inverson"),
           "schema: must be kaname.v1.Inversion, got 'kaname.v1.Inverson'");
    expect(folder_, with(kInversionYaml, "greens: greens.h5", ""),
           "greens: must be given: the dataset of Green's functions, greens.h5");
    expect(folder_, "schema: kaname.v1.Inversion\nname: a\ngreens: greens.h5\n",
           "data: must have at least one set of observations");
    expect(folder_, with(kInversionYaml, "file: offsets.csv", "kind: gnss"),
           "data[0].file: must be given");
}

TEST_F(InversionRules, OfASet) {
    in_the_set("kind: gns",
               "data[0].kind: must be gnss, gnss_acoustic, ocean_bottom_pressure or "
               "insar, got 'gns'; did you mean gnss?");
    in_the_set("unit: millimetres",
               "data[0].unit: must be m, cm, mm, m_per_year, cm_per_year or "
               "mm_per_year, got 'millimetres'");
    in_the_set("components: [east, los]",
               "data[0].components[1]: must be east, north or up, got "
               "'los'");
    in_the_set("name: A b",
               "data[0].name: must be 1 to 63 lower-case letters, digits, '-' and '_', beginning "
               "with a letter or digit, got 'A b'");
    in_the_set("sigma_north_m: -1", "data[0].sigma_north_m: must be >= 0, got -1");
    in_the_set("sigma_scale: -1", "data[0].sigma_scale: must be > 0, got -1");
    in_the_set("correlation_length_km: -1", "data[0].correlation_length_m: must be >= 0, got -1");
    in_the_set("match_distance_km: -1", "data[0].match_distance_m: must be > 0, got -1");
    in_the_set("since_years: 0", "data[0].since_s: must be before epoch = 0, got 0");
    in_the_set("nuisance: [ofset]",
               "data[0].nuisance[0]: must be offset, ramp or rotation, got "
               "'ofset'; did you mean offset?");
    in_the_set("nuisance: [offset, offset]",
               "data[0].nuisance[1]: must be named once, got 'offset' again");
    in_the_set("nuisance: ramp",
               "data[0].nuisance: must have no ramp without the component up or "
               "los, got ramp");
    in_the_set("nuisance: rotation",
               "data[0].nuisance: must have no rotation without the "
               "components east and north, got rotation");
}

TEST_F(InversionRules, NamesOfSetsAreUnique) {
    folder_.write("more/offsets.csv", kOffsetsCsv);
    expect(folder_, and_also("  - {file: more/offsets.csv, sigma_east_m: 1}\n"),
           "data[1].name: must be unique, got 'offsets' as in data[0]");
}

TEST_F(InversionRules, WhatNeedsPlacesNeedsTheirColumns) {
    folder_.write("offsets.csv", "station,east_m,north_m,east_sigma,north_sigma\nA,1,1,1,1\n");
    in_the_set("correlation_length_km: 10",
               "data[0].correlation_length_m: must be left out, the "
               "file has no columns lon_deg and lat_deg");
    in_the_set("nuisance: rotation",
               "data[0].nuisance[0]: must be left out, the file has no "
               "columns lon_deg and lat_deg");
    EXPECT_EQ(folder_.error(in_set("nuisance: offset")), "");
}

TEST_F(InversionRules, ACovarianceIsInPlaceOfACorrelation) {
    folder_.write("c.csv", "1,0,0\n0,1,0\n0,0,1\n");
    in_the_set("covariance: c.csv\n    correlation_length_km: 2",
               "data[0].covariance: excludes correlation_length_m; keep one");
    folder_.write("offsets.csv", "point,lon_deg,lat_deg,up_m\nA,1,1,1\n");
    expect(folder_,
           with(kInversionYaml, "sigma_east_m: 0.01",
                "sigma_up_m: 1\n    kind: ocean_bottom_pressure\n    nuisance: [ramp, offset]"),
           "data[0].nuisance: must not have offset beside ramp, which has an offset of its own");
}

TEST_F(InversionRules, OfSlip) {
    also("slip: {components: [dip_slip, dip_slip]}",
         "slip.components[1]: must be given and there once, got 'dip_slip'");
    also("slip: {components: dip_slip, azimuth_deg: 110}",
         "slip.components: must be two, or be left out, with rake limits or an azimuth, got 1");
    also("slip: {min_m: -1}", "slip.min_m: must be >= 0, got -1");
    also("slip: {min_m: 2, max_m: 1}", "slip.max_m: must be >= min_m = 2, got 1");
    also("slip: {max_m: -1}", "slip.max_m: must be >= min_m = 0, got -1");
    also("slip: {rake_from_deg: 45}", "slip.rake_to_deg: must be given");
    also("slip: {rake_to_deg: 45}", "slip.rake_from_deg: must be given");
    for (const char* to : {"45", "40", "225", "300"}) {
        also(std::string("slip: {rake_from_deg: 45, rake_to_deg: ") + to + "}",
             std::string(
                 "slip.rake_to_deg: must be above rake_from_deg = 45 by less than 180, got ") +
                 to);
    }
    also("slip: {rake_from_deg: 45, rake_to_deg: 135, azimuth_deg: 100}",
         "slip.azimuth_deg: excludes rake_from_deg and rake_to_deg; keep one");
    also("slip: {rake_from_deg: 45, rake_to_deg: 135, allow_negative: true}",
         "slip.allow_negative: must be false with rake limits, which leave no way back");
    EXPECT_EQ(folder_.error(and_also("slip: {rake_from_deg: 45, rake_to_deg: 224.9}\n")), "");
    EXPECT_EQ(folder_.error(and_also("slip: {allow_negative: true, min_m: -1, max_m: -0.5}\n")),
              "");
}

TEST_F(InversionRules, OfTheMoment) {
    also("slip: {moment: {relation: equals, magnitude: 8}}",
         "slip.moment.relation: must be equal, at_most or at_least, got 'equals'; did you mean "
         "equal?");
    also("slip: {moment: {relation: equal}}",
         "slip.moment: must have exactly one of magnitude and moment_n_m, got none");
    also("slip: {moment: {magnitude: 8, moment_n_m: 1e21}}",
         "slip.moment: must have exactly one of magnitude and moment_n_m, got both");
    also("slip: {moment: {moment_n_m: -1}}", "slip.moment.moment_n_m: must be > 0, got -1");
    also("slip: {moment: {magnitude: 81}}", "slip.moment.magnitude: must be in -2..11, got 81");
    expect(folder_,
           in_set("since_years: -1") +
               "slip: {moment: {magnitude: 8}, windows: [{name: a, kind: "
               "steady}]}\n",
           "slip.moment: must be left out where every window is a rate: it is the moment of steps "
           "and ramps");
}

TEST_F(InversionRules, OfWindows) {
    also("slip: {windows: [{name: a, kind: stp}]}",
         "slip.windows[0].kind: must be step, ramp, steady, coupling or history, got 'stp'; "
         "did you mean step?");
    also("slip: {windows: [{name: A, kind: step}]}",
         "slip.windows[0].name: must be 1 to 63 lower-case letters, digits, '-' and '_', beginning "
         "with a letter or digit, got 'A'");
    also("slip: {windows: [{name: a, kind: step}, {name: a, kind: ramp, end_years: 1}]}",
         "slip.windows[1].name: must be unique, got 'a' as in slip.windows[0]");
    also("slip: {windows: [{name: a, kind: step, end_years: 1}]}",
         "slip.windows[0].end_s: must be left out of a window of kind step, got 1");
    also("slip: {windows: [{name: a, kind: ramp, begin_years: 2, end_years: 1}]}",
         "slip.windows[0].end_s: must be after begin = 2, got 1");
    also("slip: {windows: [{name: a, kind: steady}]}",
         "data[0].since_s: must be given, or a column since_s: window 'a' is a rate, and "
         "offsets.csv:2 has no since");
    for (const char* kind : {"steady", "coupling"}) {
        const std::string window =
            in_set("since_years: -1") + "slip: {windows: [{name: a, kind: " + kind;
        EXPECT_EQ(folder_.error(window + "}]}\n"), "");
        expect(folder_, window + ", begin_years: 1}]}\n",
               std::string("slip.windows[0].begin_s: must be left out of a window of kind ") +
                   kind + ", got 1");
        expect(folder_, window + ", end_years: 2}]}\n",
               std::string("slip.windows[0].end_s: must be left out of a window of kind ") + kind +
                   ", got 2");
    }
}

TEST_F(InversionRules, VelocitiesNeedRates) {
    folder_.write("v.csv", "station,east_mm_per_yr\nA,1\n");
    const std::string velocities = with(kInversionYaml, "offsets.csv", "v.csv");
    const std::string both = in_set("since_years: -1") + "  - {file: v.csv, sigma_east_m: 0.001}\n";

    expect(folder_, velocities + "slip: {windows: [{name: a, kind: step}]}\n",
           "slip.windows[0].kind: must be steady or coupling, there are velocities among the data, "
           "got 'step'");
    EXPECT_EQ(folder_.error(velocities + "slip: {windows: [{name: a, kind: coupling}]}\n"), "");
    expect(folder_, both,
           "slip.windows: must be given, the data are displacements and velocities: steady or "
           "coupling, and since_s of the displacements");
    EXPECT_EQ(folder_.error(both + "slip: {windows: [{name: a, kind: steady}]}\n"), "");
    expect(folder_, velocities + "    since_years: -1\n",
           "data[0].since_s: must be left out of velocities, got -1");
}

TEST_F(InversionRules, OfThePosterior) {
    also("posterior: {iterations: 5}", "posterior.iterations: must be in 100..10000000, got 5");
    also("posterior: {effective_samples: 99}",
         "posterior.effective_samples: must be in 100..1000000, got 99");
    also("posterior: {largest_slip_cm: -3}", "posterior.largest_slip_m: must be > 0, got -3");
    also("posterior: {lengths_km: [10, 0]}", "posterior.lengths_m[1]: must be > 0, got 0");
    also("posterior: {theta: [a, b, a]}", "posterior.theta[2]: must be named once, got 'a' again");
    also("posterior: {theta: [a, b, c, d, e]}",
         "posterior.theta: must name at most 4 viscosities, got 5");
    also("posterior: {nodes: 9}",
         "posterior.nodes: must be left out without posterior.theta, got 9");
    also("posterior: {theta: [a], nodes: 2}", "posterior.nodes: must be in 3..33, got 2");
    also("posterior: {}\nregularisation: {norm: huber}",
         "regularisation.norm: must be least_squares with posterior, which takes errors as normal, "
         "got huber");
    also("posterior: {}\nslip: {moment: {magnitude: 7}}",
         "slip.moment: must be left out with posterior, which is without conditions");
    also("posterior: {}\nslip: {min_m: 1, max_cm: 100}",
         "slip.max_m: must be above min = 100 with posterior, got 100");
}

TEST_F(InversionRules, OfSlipInTime) {
    const std::string window = "slip: {windows: [{name: a, kind: history, end_days: 100}]}";
    EXPECT_EQ(folder_.error(and_also(window + "\n")), "");
    also("slip: {windows: [{name: a, kind: history, begin_days: 9, end_days: 8}]}",
         "slip.windows[0].end_s: must be after begin = 9, got 8");
    also("slip: {windows: [{name: a, kind: step, step_days: 9}]}",
         "slip.windows[0].step_s: must be left out of a window of kind step");
    also("slip: {windows: [{name: a, kind: step, elastic: true}]}",
         "slip.windows[0].elastic: must be left out of a window of kind step");
    const std::string two =
        "slip: {windows: [{name: a, kind: history, begin_days: 2, end_days: 9}, ";
    EXPECT_EQ(folder_.error(and_also(two + "{name: b, kind: step, begin_days: 2}]}\n")), "");
    also(two + "{name: b, kind: step, begin_days: 9}]}",
         "slip.windows[1].begin_s: must be from begin = 2 to end = 9 of the history, got 9");
    also(two + "{name: b, kind: ramp, end_days: 9}]}",
         "slip.windows[1].kind: must be step beside a window of kind history, got ramp");
    also("slip: {windows: [{name: b, kind: step}, {name: a, kind: history, end_days: 9}]}",
         "slip.windows[0].kind: must be history where a window has that kind, got step");
    also(window + "\nregularisation: {choice: l_curve}",
         "regularisation.choice: must be abic or fixed with a window of kind history, got l_curve");
    also(window + "\nposterior: {}", "posterior: must be left out with a window of kind history");
    also(window + "\nappraisal: {bootstrap: 9}",
         "appraisal: must be left out with a window of kind history");
    in_the_set("series: {terms: [annual]}",
               "data[0].series: must be left out without a window of kind history");
    expect(folder_, in_set("series: {terms: [anual]}") + window + "\n",
           "data[0].series.terms[0]: must be rate, annual or semiannual, got 'anual'; did you "
           "mean annual?");
}

TEST_F(InversionRules, OfWeights) {
    also("regularisation: {choice: cv}",
         "regularisation.choice: must be cross_validation, abic, "
         "abic_free, l_curve or fixed, got 'cv'");
    also("regularisation: {smoothness: [1, 0]}",
         "regularisation.smoothness[1]: must be > 0, got 0");
    also("regularisation: {choice: l_curve, sparsity: -1}",
         "regularisation.sparsity[0]: must be >= 0, got -1");
    also("regularisation: {smoothness: [1, 2, 2]}",
         "regularisation.smoothness[2]: must be larger than the weight before it, 2, got 2");
    also("regularisation: {smoothness: [3, 2, 4]}",
         "regularisation.smoothness[2]: must be smaller than the weight before it, 2, got 4");
    also("regularisation: {choice: fixed}",
         "regularisation.smoothness: must have one weight with choice fixed, got 0");
    also("regularisation: {choice: fixed, smoothness: 1, sparsity: [0, 1]}",
         "regularisation.sparsity: must have one weight with choice fixed, got 2");
    also("regularisation: {choice: l_curve, sparsity: [0, 1]}",
         "regularisation.sparsity: must have one weight with choice l_curve, got 2");
    also("regularisation: {choice: abic, sparsity: 0.1}",
         "regularisation.sparsity: must be 0 with choice abic, which is for priors that are normal "
         "distributions");
    also("regularisation: {choice: l_curve, sparsity: 0.1}\nslip: {min_m: 0.5}",
         "regularisation.sparsity: must be 0 with slip.min_m = 0.5, which lets no amount be 0");
    also("regularisation: {folds: 1}", "regularisation.folds: must be >= 2, got 1");
    also("regularisation: {choice: cross_validation}",
         "regularisation.folds: must be at most the number of stations, 3, got 5");
    also("regularisation: {rule: min}",
         "regularisation.rule: must be minimum or "
         "one_standard_error, got 'min'");
    also("regularisation: {weight: momemt}",
         "regularisation.weight: must be none or moment, got 'momemt'; did you mean moment?");
    also("regularisation: {edges: fre}",
         "regularisation.edges: must be zero or free, got 'fre'; did you mean free?");
    EXPECT_EQ(folder_.error(and_also("regularisation: {choice: fixed, smoothness: 0}\n")), "");
    EXPECT_EQ(folder_.error(and_also("regularisation: {folds: 3}\n")), "");
}

TEST_F(InversionRules, OfSyntheticData) {
    also("synthetic: {noise: true}",
         "synthetic: must have exactly one of checkerboard, rupture and slip, got 0");
    also("synthetic: {checkerboard: {}, slip: greens.h5}",
         "synthetic: must have exactly one of checkerboard, rupture and slip, got 2");
    const std::string rupture =
        "synthetic: {rupture: {lon_deg: 140, lat_deg: 38, length_km: 100, width_km: 50, slip_m: 5, "
        "rake_deg: 90}}";
    EXPECT_EQ(folder_.error(and_also(rupture + "\n")), "");
    also(with(rupture, "lon_deg: 140, ", ""), "synthetic.rupture.lon_deg: must be given");
    also(with(rupture, "length_km: 100", "length_km: 0"),
         "synthetic.rupture.length_m: must be > 0, got 0");
    also(with(rupture, "width_km: 50, ", ""), "synthetic.rupture.width_m: must be > 0, got 0");
    also(with(rupture, "slip_m: 5, ", ""), "synthetic.rupture.slip_m: must not be 0");
    also(with(rupture, ", rake_deg: 90", ""),
         "synthetic.rupture.rake_deg: must be given or "
         "slip_azimuth_deg, exactly one of them, got none");
    also(with(rupture, "rake_deg: 90", "rake_deg: 90, slip_azimuth_deg: 1"),
         "synthetic.rupture.rake_deg: must be given or slip_azimuth_deg, exactly one of them, got "
         "both");
}

TEST_F(InversionRules, OfModelErrors) {
    folder_.write("a.h5", "a");
    folder_.write("b.h5", "b");
    const std::string errors = "model_errors: {datasets: [a.h5, b.h5]}";
    EXPECT_EQ(folder_.error(and_also(errors + "\n")), "");
    EXPECT_EQ(folder_.load(and_also(errors + "\n")).inversion.model_errors().rounds(), 3u);
    also("model_errors: {rounds: 2}",
         "model_errors: must have exactly one of datasets and campaign, got none");
    also("model_errors: {datasets: [a.h5, b.h5], campaign: a.h5}",
         "model_errors: must have exactly one of datasets and campaign, got both");
    also("model_errors: {datasets: [a.h5]}",
         "model_errors.datasets: must have two or more datasets, whose motion differs, got 1");
    also("model_errors: {datasets: [a.h5, b.h5, a.h5]}",
         "model_errors.datasets[2]: must differ from the others, has the content of "
         "model_errors.datasets[0]");
    also("model_errors: {datasets: [a.h5, b.h5], rounds: 11}",
         "model_errors.rounds: must be in 1..10, got 11");
    also(errors + "\nposterior: {theta: [mantle]}",
         "posterior.theta: must be left out with model_errors, whose datasets differ in viscosity "
         "themselves");
    also(errors + "\nappraisal: {bootstrap: 10}",
         "appraisal.bootstrap: must be left out with model_errors, which are errors of all "
         "stations together: it draws them one by one");
    also(errors + "\nslip: {windows: [{name: a, kind: history, end_days: 100}]}",
         "model_errors: must be left out with a window of kind history");
}

TEST_F(InversionRules, OfTheAppraisal) {
    also("appraisal: {bootstrap: 1000000}",
         "appraisal.bootstrap: must be at most 100000, got 1000000");
    also("appraisal: {resolution: yes}",
         "appraisal.resolution: line 7: expected true or false, got 'yes'");
}

}  // namespace
}  // namespace kaname::request::inversion_rules_test
