// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include "proto/request/form/json.hpp"
#include "tests/unit/proto/request/inversion/example_inversion.hpp"
#include "worker/jobs/inversion/verbs/inversion_kind.hpp"

namespace kaname::compute::job_from_request_test {
namespace {

using request::examples::and_also;
using request::examples::in_set;
using request::examples::InversionFolder;
using request::examples::kInversionYaml;
using request::examples::offsets_of;
using request::examples::with;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(InversionJobFromRequest, TakesDataWithTheirScale) {
    const InversionFolder folder;

    const jobs::InversionJob job = job_from_request(
        folder.load(in_set("sigma_scale: 2\n    epoch_years: 1\n    nuisance: offset\n"
                           "    correlation_length_km: 30\n    match_distance_km: 1")));

    EXPECT_EQ(job.name, "tohoku");
    ASSERT_EQ(job.sets.size(), 1u);
    const jobs::ObservationSet& set = job.sets[0];
    EXPECT_EQ(set.name, "offsets");
    EXPECT_EQ(set.kind, jobs::ObservationKind::Gnss);
    EXPECT_FALSE(set.velocity);
    EXPECT_TRUE(set.offset && !set.ramp && !set.rotation);
    EXPECT_EQ(set.correlation_length_m, 30000.0);
    EXPECT_EQ(set.match_distance_m, 1000.0);
    ASSERT_EQ(set.data.size(), 3u);
    const jobs::Datum& datum = set.data[2];
    EXPECT_EQ(datum.station, "C");
    EXPECT_EQ(datum.component, "east");
    EXPECT_EQ(datum.east, 1.0);
    EXPECT_EQ(datum.lon_deg, 141.0);
    EXPECT_EQ(datum.value, -0.3);
    EXPECT_EQ(datum.sigma, 0.02);
    EXPECT_EQ(datum.epoch_s, 31557600.0);
    EXPECT_EQ(datum.since_s, jobs::Datum::kBeforeAll);
    EXPECT_TRUE(datum.field.ends_with("offsets.csv:4"));
}

TEST(InversionJobFromRequest, AScaledCovarianceIsScaledTwice) {
    const InversionFolder folder;
    folder.write("c.csv", "4,1,0\n1,4,0\n0,0,9\n");

    const jobs::InversionJob job = job_from_request(folder.load(
        with(kInversionYaml, "sigma_east_m: 0.01", "covariance: c.csv\n    sigma_scale: 2")));

    EXPECT_EQ(job.sets[0].covariance, (std::vector<double>{16, 4, 0, 4, 16, 0, 0, 0, 36}));
    EXPECT_EQ(job.sets[0].data[2].sigma, 6.0);
}

TEST(InversionJobFromRequest, BoundsThatAreAbsentAreInfinite) {
    const InversionFolder folder;

    const jobs::SlipUnknowns plain = job_from_request(folder.load(kInversionYaml)).slip;
    EXPECT_EQ(plain.min_m, 0.0);
    EXPECT_EQ(plain.max_m, kInfinite);
    EXPECT_FALSE(plain.rake_from_deg || plain.azimuth_deg || plain.moment);
    ASSERT_EQ(plain.windows.size(), 1u);
    EXPECT_EQ(plain.windows[0].name, "coseismic");
    EXPECT_EQ(plain.windows[0].kind, jobs::SlipWindow::Kind::Step);
    const jobs::SlipUnknowns both =
        job_from_request(folder.load(and_also("slip: {allow_negative: true, max_m: 9}\n"))).slip;
    EXPECT_EQ(both.min_m, -kInfinite);
    EXPECT_EQ(both.max_m, 9.0);
}

TEST(InversionJobFromRequest, TakesEveryWord) {
    const InversionFolder folder(offsets_of(12));
    const jobs::InversionJob job = job_from_request(folder.load(
        in_set("since_years: -1") +
        "slip:\n  components: [strike_slip, dip_slip]\n  rake_from_deg: 45\n  rake_to_deg: 135\n"
        "  moment: {relation: at_most, magnitude: 8}\n"
        "  windows: [{name: a, kind: ramp, begin_years: 1, end_years: 2}, "
        "{name: b, kind: coupling}]\n"
        "regularisation: {choice: l_curve, smoothness: [1, 2], sparsity: 0.5, folds: 3, seed: 7, "
        "rule: one_standard_error, weight: moment, edges: free}\n"
        "appraisal: {resolution: true, covariance: true, bootstrap: 20}\n"
        "synthetic: {noise: true, rupture: {lon_deg: 140, lat_deg: 38, length_km: 100, width_km: "
        "50, strike_deg: 200, slip_m: 5, slip_azimuth_deg: 110}}\n"));

    EXPECT_EQ(job.slip.components, (std::vector<std::string>{"strike_slip", "dip_slip"}));
    EXPECT_EQ(*job.slip.rake_from_deg, 45.0);
    EXPECT_EQ(*job.slip.rake_to_deg, 135.0);
    ASSERT_TRUE(job.slip.moment);
    EXPECT_EQ(job.slip.moment->relation, jobs::MomentRule::Relation::AtMost);
    EXPECT_NEAR(std::log10(job.slip.moment->moment_n_m), 21.1, 1e-12);
    ASSERT_EQ(job.slip.windows.size(), 2u);
    EXPECT_EQ(job.slip.windows[0].kind, jobs::SlipWindow::Kind::Ramp);
    EXPECT_EQ(job.slip.windows[0].end_s, 2 * 31557600.0);
    EXPECT_EQ(job.slip.windows[1].kind, jobs::SlipWindow::Kind::Coupling);
    const jobs::Regularisation& weights = job.regularisation;
    EXPECT_EQ(weights.choice, jobs::Regularisation::Choice::LCurve);
    EXPECT_EQ(weights.smoothness, (std::vector<double>{1, 2}));
    EXPECT_EQ(weights.sparsity, std::vector<double>{0.5});
    EXPECT_EQ(weights.folds, 3);
    EXPECT_EQ(weights.seed, 7u);
    EXPECT_EQ(weights.rule, jobs::Regularisation::Rule::OneStandardError);
    EXPECT_EQ(weights.weight, jobs::Regularisation::Weight::Moment);
    EXPECT_EQ(weights.edges, jobs::Regularisation::Edges::Free);
    EXPECT_TRUE(job.resolution && job.covariance);
    EXPECT_EQ(job.bootstrap, 20);
    ASSERT_TRUE(job.synthetic && job.synthetic->rupture);
    EXPECT_TRUE(job.synthetic->noise);
    EXPECT_EQ(job.synthetic->rupture->length_m, 100000.0);
    EXPECT_EQ(*job.synthetic->rupture->slip_azimuth_deg, 110.0);
    EXPECT_FALSE(job.synthetic->rupture->rake_deg);
}

TEST(InversionJobFromRequest, TakesThePosteriorWithItsDefaults) {
    const InversionFolder folder;

    EXPECT_FALSE(job_from_request(folder.load(kInversionYaml)).posterior);
    const auto plain = job_from_request(folder.load(and_also("posterior: {}\n"))).posterior;
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->iterations, 10000);
    EXPECT_EQ(plain->draws, 500);
    EXPECT_FALSE(plain->largest_slip_m || plain->level_m);
    const auto all = job_from_request(folder.load(and_also("posterior: {iterations: 200, seed: 9, "
                                                           "largest_slip_cm: 50, level_cm: 5, "
                                                           "lengths_km: [10, 40], draws: 20, "
                                                           "theta: [mantle, lid], nodes: 11, "
                                                           "effective_samples: 400}\n")))
                         .posterior;
    EXPECT_EQ(plain->effective_samples, 0);
    EXPECT_EQ(all->iterations, 200);
    EXPECT_EQ(all->effective_samples, 400);
    EXPECT_EQ(all->seed, 9u);
    EXPECT_EQ(*all->largest_slip_m, 0.5);
    EXPECT_EQ(*all->level_m, 0.05);
    EXPECT_EQ(all->lengths_m, (std::vector<double>{10e3, 40e3}));
    EXPECT_EQ(all->theta, (std::vector<std::string>{"mantle", "lid"}));
    EXPECT_EQ(all->nodes, 11);
}

TEST(InversionJobFromRequest, TakesCheckerboardsAndTables) {
    const InversionFolder folder;
    folder.write("slip.csv", "source,slip_m\na,1\nb,-2\n");

    const auto board =
        job_from_request(folder.load(and_also("synthetic: {checkerboard: {rows: 3}}\n")));
    EXPECT_EQ(board.synthetic->checkerboard->rows, 3);
    EXPECT_EQ(board.synthetic->checkerboard->columns, 2);
    EXPECT_EQ(board.synthetic->checkerboard->slip_m, 1.0);
    const auto table = job_from_request(folder.load(and_also("synthetic: {slip: slip.csv}\n")));
    ASSERT_EQ(table.synthetic->amounts.size(), 2u);
    EXPECT_EQ(table.synthetic->amounts[1].source, "b");
    EXPECT_EQ(table.synthetic->amounts[1].slip_m, -2.0);
}

TEST(StoredInversion, FindsItsFilesByTheirHashes) {
    const InversionFolder folder;
    v1::Inversion message = folder.load(kInversionYaml).inversion;
    const std::string greens = message.greens().sha256(), data = message.data(0).file().sha256();
    folder.write("cache/" + greens, "dataset");
    folder.write("cache/" + data, request::examples::kOffsetsCsv);
    message.mutable_greens()->set_path("greens.h5");
    message.mutable_data(0)->mutable_file()->clear_path();
    const std::string json = folder.write("stored/spec.json", request::to_json(message));

    const request::LoadedInversion loaded = load_stored_inversion(json, folder.path() + "/cache");

    EXPECT_EQ(loaded.inversion.greens().path(), folder.path() + "/cache/" + greens);
    EXPECT_EQ(loaded.tables.at(0).rows.size(), 3u);
    message.mutable_greens()->set_sha256("../x");
    folder.write("stored/spec.json", request::to_json(message));
    EXPECT_EQ(request::examples::error_of(
                  [&] { return load_stored_inversion(json, folder.path() + "/cache"); }),
              "greens.sha256: must be 64 hexadecimal digits in lower case, got '../x'");
}

}  // namespace
}  // namespace kaname::compute::job_from_request_test
