// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/unit/proto/request/inversion/example_inversion.hpp"
#include "worker/jobs/inversion/verbs/inversion_kind.hpp"

namespace kaname::compute::inversion_estimate_test {
namespace {

using request::examples::and_also;
using request::examples::error_of;
using request::examples::InversionFolder;

/// Two sources, one epoch, one station.
void write_dataset(const std::string& path) {
    io::GreensDataset dataset;
    dataset.name = dataset.title = "two";
    dataset.projected = false;
    dataset.epochs_s = {0.0};
    dataset.step_time_s = {0.0};
    dataset.stations.push_back({.id = "A"});
    for (const char* id : {"a", "b"}) {
        dataset.sources.push_back({.id = id, .component = "dip_slip"});
        dataset.greens.insert(dataset.greens.end(), {0.1, 0.2, 0.3});
        dataset.iterations.push_back(1);
        dataset.residual.push_back(0.0);
        dataset.initial_residual.push_back(0.0);
    }
    io::write_greens_dataset(path, dataset);
}

TEST(InversionEstimate, CountsWhatTheDatasetAndTheTablesHave) {
    const InversionFolder folder;
    write_dataset(folder.path() + "/greens.h5");
    request::LoadedInversion loaded = folder.load(and_also(
        "slip: {windows: [{name: a, kind: step}, {name: b, kind: ramp, end_years: 1}]}\n"));
    loaded.warnings = {"units"};

    const v1::Estimate estimate = estimate_of(loaded, 2);

    EXPECT_EQ(estimate.sources(), 2u);
    EXPECT_EQ(estimate.dof(), 4u);
    EXPECT_EQ(estimate.stations(), 3u);
    EXPECT_EQ(estimate.epochs(), 1u);
    EXPECT_EQ(estimate.threads(), 2u);
    EXPECT_GT(estimate.solve_s(), 0.0);
    EXPECT_LT(estimate.low_s(), estimate.total_s());
    EXPECT_EQ(estimate.warnings(0), "units");
}

TEST(InversionEstimate, RefusesWhatIsNoDataset) {
    const InversionFolder folder;
    const auto error = [&] {
        return error_of(
            [&] { return estimate_of(folder.load(request::examples::kInversionYaml), 1); });
    };
    const std::string path = folder.path() + "/greens.h5";

    EXPECT_TRUE(error().starts_with("greens: " + path)) << error();
    h5::File(path, h5::File::Mode::Create).write<double>("slip", std::vector{1.0}, {1});
    EXPECT_EQ(error(), "greens: " + path +
                           ": must be a dataset of Green's functions (greens.h5), has no variable "
                           "'greens'");
}

}  // namespace
}  // namespace kaname::compute::inversion_estimate_test
