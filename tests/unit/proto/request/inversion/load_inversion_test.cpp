// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/load_inversion.hpp"

#include "proto/request/form/json.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/unit/proto/request/inversion/example_inversion.hpp"

namespace kaname::request::load_inversion_test {
namespace {

using namespace examples;

TEST(LoadInversion, FillsInWhatIsLeftOut) {
    const InversionFolder folder(offsets_of(12));

    const LoadedInversion loaded = folder.load(kInversionYaml);

    const v1::Observations& set = loaded.inversion.data(0);
    EXPECT_EQ(set.kind(), "gnss");
    EXPECT_EQ(set.name(), "offsets");
    EXPECT_EQ(set.quantity(), "displacement");
    ASSERT_EQ(set.components_size(), 1);
    EXPECT_EQ(set.components(0), "east");
    EXPECT_EQ(set.sigma_scale(), 1.0);
    EXPECT_EQ(set.match_distance_m(), 200.0);
    EXPECT_EQ(loaded.inversion.greens().sha256(), sha256_hex("dataset"));
    EXPECT_EQ(loaded.tables.at(0).rows.size(), 12u);
    const v1::SlipUnknowns& slip = loaded.inversion.slip();
    EXPECT_TRUE(slip.has_min_m() && slip.min_m() == 0.0 && !slip.has_max_m());
    ASSERT_EQ(slip.windows_size(), 1);
    EXPECT_EQ(slip.windows(0).name(), "coseismic");
    EXPECT_EQ(slip.windows(0).kind(), "step");
    const v1::Regularisation& weights = loaded.inversion.regularisation();
    EXPECT_EQ(weights.choice(), "abic");
    ASSERT_EQ(weights.smoothness_size(), 10);
    EXPECT_EQ(weights.smoothness(0), 1e-4);
    EXPECT_EQ(weights.smoothness(9), 100.0);
    ASSERT_EQ(weights.sparsity_size(), 1);
    EXPECT_EQ(weights.sparsity(0), 0.0);
    EXPECT_EQ(weights.folds(), 5u);
    EXPECT_EQ(weights.seed(), 1u);
    EXPECT_EQ(weights.rule(), "minimum");
    EXPECT_EQ(weights.weight(), "none");
    EXPECT_EQ(weights.edges(), "zero");
    EXPECT_EQ(loaded.chosen, "");
}

TEST(LoadInversion, ACampaignIsItsDatasets) {
    const InversionFolder folder(offsets_of(12));
    folder.write("one.h5", "one");
    folder.write("two.h5", "two");
    folder.write("campaign.json", R"({"campaign": {"title": "slabs"}, "members": [
        {"member": {"label": "1"}, "file": "one.h5"}, {"member": {"label": "2"}, "file": ""},
        {"member": {"label": "3"}, "file": "two.h5"}]})");
    const std::string asked = and_also("model_errors: {campaign: campaign.json}\n");

    const LoadedInversion loaded = folder.load(asked);

    const v1::ModelErrors& errors = loaded.inversion.model_errors();
    EXPECT_FALSE(errors.has_campaign());
    ASSERT_EQ(errors.datasets_size(), 2);
    EXPECT_EQ(errors.datasets(0).sha256(), sha256_hex("one"));
    EXPECT_EQ(errors.datasets(1).sha256(), sha256_hex("two"));
    ASSERT_EQ(loaded.warnings.size(), 1u);
    EXPECT_EQ(loaded.warnings[0],
              "model_errors.campaign: 1 of 3 members have no dataset and are left out");
    // Results are known by the datasets, wherever they were named.
    EXPECT_EQ(canonical_inversion(loaded.inversion, false),
              canonical_inversion(
                  folder.load(and_also("model_errors: {datasets: [one.h5, two.h5]}\n")).inversion,
                  false));

    folder.write("campaign.json", R"({"members": [{"file": ""}]})");
    EXPECT_NE(folder.error(asked).find("must have members with a dataset, has none"),
              std::string::npos)
        << folder.error(asked);
}

TEST(LoadInversion, WeightsAreChosenByAbicUnlessFoldsAreAskedFor) {
    for (const int stations : {9, 40}) {
        const InversionFolder folder(offsets_of(stations));

        const LoadedInversion loaded = folder.load(kInversionYaml);

        // Below ten stations bounds bind so much that the amounts within them alone are counted.
        EXPECT_EQ(loaded.inversion.regularisation().choice(), stations < 10 ? "abic_free" : "abic");
        EXPECT_FALSE(loaded.inversion.regularisation().variance_components());
        EXPECT_EQ(loaded.inversion.regularisation().sparsity_size(), 1);
        EXPECT_EQ(loaded.inversion.regularisation().norm(), "least_squares");
        EXPECT_EQ(loaded.chosen, "");
    }
    const InversionFolder folder(offsets_of(9));
    for (const char* asked : {"folds: 3", "sparsity: [0, 0.1]", "choice: cross_validation"}) {
        const LoadedInversion loaded =
            folder.load(and_also(std::string("regularisation: {") + asked + "}\n"));
        EXPECT_EQ(loaded.inversion.regularisation().choice(), "cross_validation") << asked;
    }
}

TEST(LoadInversion, FactorsOnErrorsAreEstimatedOfSeveralSetsUnlessTheyAreRefused) {
    const InversionFolder folder;
    folder.write("more.csv", kOffsetsCsv);
    const std::string two = kInversionYaml + "  - file: more.csv\n    sigma_east_m: 0.01\n";
    const auto estimated = [&](const std::string& yaml) {
        return folder.load(yaml).inversion.regularisation().variance_components();
    };

    EXPECT_TRUE(estimated(two));
    EXPECT_FALSE(estimated(two + "regularisation: {variance_components: false}\n"));
    EXPECT_FALSE(estimated(two + "synthetic: {checkerboard: {}}\n"));
    EXPECT_TRUE(estimated(and_also("regularisation: {variance_components: true}\n")));
}

TEST(LoadInversion, VelocitiesAreOfSteadySlip) {
    const InversionFolder folder("station,east_mm_per_yr\nA,12\nB,13\n");

    const LoadedInversion loaded = folder.load(kInversionYaml);

    EXPECT_EQ(loaded.inversion.data(0).quantity(), "velocity");
    ASSERT_EQ(loaded.inversion.slip().windows_size(), 1);
    EXPECT_EQ(loaded.inversion.slip().windows(0).name(), "interseismic");
    EXPECT_EQ(loaded.inversion.slip().windows(0).kind(), "steady");
    EXPECT_NE(loaded.chosen.find("slip.windows: steady, since the data are velocities"),
              std::string::npos);
}

TEST(LoadInversion, SlipThatIsAtLeastSomethingIsNotSparse) {
    const InversionFolder folder(offsets_of(12));

    EXPECT_EQ(
        folder.load(and_also("slip: {min_m: 0.1}\n")).inversion.regularisation().sparsity_size(),
        1);
    EXPECT_FALSE(
        folder.load(and_also("slip: {allow_negative: true}\n")).inversion.slip().has_min_m());
}

TEST(LoadInversion, NamesOfSetsAreTheirFilesStems) {
    const InversionFolder folder;
    folder.write("_Tohoku2011_GNSS land.csv", kOffsetsCsv);

    const std::string yaml = with(kInversionYaml, "offsets.csv", "\"_Tohoku2011_GNSS land.csv\"");

    EXPECT_EQ(folder.load(yaml).inversion.data(0).name(), "tohoku2011-gnss-land");
}

TEST(LoadInversion, ComesTheSameFromItsJson) {
    const InversionFolder folder(offsets_of(12));
    const LoadedInversion written = folder.load(and_also("regularisation: {seed: 5000000000}\n"));

    v1::Inversion message;
    from_json(to_json(written.inversion), "text", message);
    const LoadedInversion read = check_inversion(message);

    EXPECT_EQ(canonical_inversion(read.inversion, true),
              canonical_inversion(written.inversion, true));
    EXPECT_EQ(read.inversion.regularisation().seed(), 5000000000u);
}

TEST(LoadInversion, ReportsReadingRulesFilesAndRowsAtOnceWithTheirLines) {
    const InversionFolder folder("station,east_m\nA,x\n");
    std::string yaml = with(kInversionYaml, "greens: greens.h5", "greens: none.h5");
    yaml = with(yaml, "name: tohoku", "name: Tohoku\ndescriptoin: x");

    EXPECT_EQ(folder.error(yaml + "regularisation: {folds: 1, sparsity: 0.1, choice: abc}\n"),
              "descriptoin: line 3: unknown key 'descriptoin'; did you mean description?\n"
              "name: must be 1 to 63 lower-case letters, digits, '-' and '_', beginning with a "
              "letter or digit, got 'Tohoku' (line 2)\n"
              "regularisation.choice: must be cross_validation, abic, abic_free, l_curve or fixed, "
              "got 'abc'; "
              "did you mean abic? (line 8)\n"
              "regularisation.folds: must be >= 2, got 1 (line 8)\n"
              "greens: file 'none.h5' does not exist (line 4)\n"
              "offsets.csv:2: east_m must be a finite number, got 'x'; leave blank what was not "
              "observed");
}

TEST(LoadInversion, ReadsCovariancesInTheOrderOfTheObservations) {
    const InversionFolder folder;
    const auto load = [&](const std::string& matrix) {
        folder.write("c.csv", matrix);
        return folder.load(with(kInversionYaml, "sigma_east_m: 0.01", "covariance: c.csv"));
    };
    const auto error = [&](const std::string& matrix) {
        folder.write("c.csv", matrix);
        return folder.error(with(kInversionYaml, "sigma_east_m: 0.01", "covariance: c.csv"));
    };

    const LoadedInversion loaded = load("4, 1, 0\n1, 4, 0\n0, 0, 9\n");
    EXPECT_EQ(loaded.covariances.at(0), (std::vector<double>{4, 1, 0, 1, 4, 0, 0, 0, 9}));
    EXPECT_EQ(loaded.tables.at(0).rows[2].sigma, 3.0);

    EXPECT_EQ(error("1,0,0\n0,1,0\n"),
              "c.csv: must have 3 rows, one for each observation of the set, has 2");
    EXPECT_EQ(error("1,0,0\n0,1\n0,x,1\n"),
              "c.csv:2: must have 3 numbers, one for each observation of the set, has 2\n"
              "c.csv:3: must have finite numbers, got 'x'");
    EXPECT_EQ(error("1,0.5,0\n0.4,1,0\n0,0,1\n"),
              "c.csv: must be symmetric, got 0.4 in row 2, column 1 and 0.5 in row 1, column 2");
    EXPECT_EQ(error("1,1,0\n1,1,0\n0,0,1\n"),
              "c.csv: must be positive definite, is not from row 2 on, whose variance is 1");
}

TEST(LoadInversion, ReadsTheSlipOfATest) {
    const InversionFolder folder;
    const std::string yaml = and_also("synthetic: {slip: slip.csv, noise: true}\n");

    folder.write("slip.csv", "slip_m,source\n1.5,s00d00/dip_slip\n-2,s00d01/dip_slip\n");
    const LoadedInversion loaded = folder.load(yaml);
    ASSERT_EQ(loaded.slip.size(), 2u);
    EXPECT_EQ(loaded.slip[1].source, "s00d01/dip_slip");
    EXPECT_EQ(loaded.slip[1].slip_m, -2.0);
    EXPECT_TRUE(loaded.inversion.synthetic().noise());

    folder.write("slip.csv", "source,slip_m\na,1\na,x\nb\n");
    EXPECT_EQ(folder.error(yaml),
              "slip.csv:3: slip_m must be a finite number, got 'x'\n"
              "slip.csv:3: source must be unique, got 'a' as in line 2\n"
              "slip.csv:4: row has 1 cells, the header has 2");
    folder.write("slip.csv", "source,slip\na,1\n");
    EXPECT_EQ(folder.error(yaml),
              "slip.csv:1: header must name the column slip_m, got 'source,slip'");
    folder.write("slip.csv", "source,slip_m\n");
    EXPECT_EQ(folder.error(yaml), "slip.csv:1: file has no source");
}

TEST(InversionKind, IsOneTaskWithoutSources) {
    const InversionFolder folder(offsets_of(12));
    const std::string path = folder.write("inversion.yaml", kInversionYaml);

    const auto wanted = inversion_kind().load(path);
    const TaskGraph graph = wanted->graph();

    ASSERT_EQ(graph.tasks.size(), 1u);
    EXPECT_EQ(graph.tasks[0].verb, "invert");
    EXPECT_EQ(graph.tasks[0].label, "inversion");
    EXPECT_EQ(graph.tasks[0].pool, kCpuPool);
    EXPECT_EQ(graph.n_sources(), 0u);
    EXPECT_EQ(inversion_kind().result_file(), "inversion.h5");
    v1::Estimate estimate;
    estimate.set_solve_s(3.0);
    EXPECT_EQ(wanted->times(estimate).at(0).each_s, 3.0);
}

TEST(InversionKind, IsKnownByWhatItsResultDependsOn) {
    const InversionFolder folder(offsets_of(12));
    const auto request = [&](const std::string& yaml) {
        return inversion_kind().load(folder.write("inversion.yaml", yaml));
    };
    const auto hash = [&](const std::string& yaml) {
        return inversion_kind().content_hash(request(yaml)->message());
    };
    const std::string known = hash(kInversionYaml);
    const std::string key = request(kInversionYaml)->graph().tasks[0].key;

    EXPECT_EQ(hash(with(kInversionYaml, "name: tohoku", "name: other\ndescription: x")), known);
    EXPECT_EQ(request(with(kInversionYaml, "name: tohoku", "name: other"))->graph().tasks[0].key,
              key);
    EXPECT_EQ(hash(and_also("regularisation: {seed: 1}\n")), known);
    EXPECT_NE(hash(and_also("regularisation: {seed: 2}\n")), known);
    EXPECT_NE(hash(and_also("slip: {allow_negative: true}\n")), known);
    folder.write("greens.h5", "another dataset");
    EXPECT_NE(hash(kInversionYaml), known);
    EXPECT_NE(request(kInversionYaml)->graph().tasks[0].key, key);
}

}  // namespace
}  // namespace kaname::request::load_inversion_test
