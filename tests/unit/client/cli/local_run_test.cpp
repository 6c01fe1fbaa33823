// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local/local_run.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/batch_request.hpp"
#include "tests/support/fake_compute.hpp"

namespace kaname::cli::local_run_test {
namespace {

namespace fs = std::filesystem;

/// Verbs that leave files as the real ones do, and note their calls in $0.calls.
constexpr const char* kFakeVerbs = R"(
echo $1 >> $0.calls
case $1 in
  mesh) echo mesh > $5 ;;
  package) echo dataset > $9 ;;
  show) ;;
  solve) if [ -e $0.fail ]; then exit 9; fi ;;
esac
echo "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{}}"
)";

BatchRequest named(const std::string& description, double depth_m) {
    v1::GreensBatch batch;
    batch.set_name("tiny");
    batch.set_description(description);
    batch.mutable_region()->set_depth_m(depth_m);
    return BatchRequest(std::move(batch));
}

LocalRunOptions with_fields() {
    LocalRunOptions options;
    options.fields = true;
    return options;
}

OutputPlace place_in(const RunFolder& folder) {
    return OutputPlace("--output", folder.dataset(), /*force=*/true);
}

TEST(LocalRun, ReusesTheMeshOfTheSameSpecificationOnly) {
    const FakeCompute compute(kFakeVerbs);
    const RunFolder folder(compute.file("out"));

    const bool first =
        run_local(named("a", 1.0), folder, place_in(folder), compute.runner(), with_fields())
            .mesh_reused;
    const bool relabelled =
        run_local(named("b", 1.0), folder, place_in(folder), compute.runner(), with_fields())
            .mesh_reused;
    const bool changed =
        run_local(named("b", 2.0), folder, place_in(folder), compute.runner(), with_fields())
            .mesh_reused;

    EXPECT_FALSE(first);
    EXPECT_TRUE(relabelled);
    EXPECT_FALSE(changed);
    EXPECT_EQ(read_file_if_any(folder.dataset()), "dataset\n");
}

TEST(LocalRun, AFailedVerbLeavesNoDatasetAndTheNextRunGoesOn) {
    const FakeCompute compute(kFakeVerbs);
    const RunFolder folder(compute.file("out"));
    const fs::path fail = compute.program().string() + ".fail";
    write_file(fail, "");

    EXPECT_THROW(
        (void)run_local(named("a", 1.0), folder, place_in(folder), compute.runner(), with_fields()),
        Error);
    EXPECT_FALSE(fs::exists(folder.dataset()));
    fs::remove(fail);
    (void)run_local(named("a", 1.0), folder, place_in(folder), compute.runner(), with_fields());

    EXPECT_TRUE(fs::exists(folder.dataset()));
    EXPECT_EQ(read_file_if_any(compute.program().string() + ".calls"),
              "mesh\nsolve\nsolve\npackage\nshow\n");
}

TEST(LocalRun, DescribesFieldsForParaViewBesideADatasetThatHasThem) {
    const FakeCompute compute(R"(
echo $1 $3 >> $0.calls
json={}
case $1 in
  mesh) echo mesh > $5 ;;
  package) echo dataset > $9 ;;
  show) json='{"fields":["surface","volume"]}' ;;
  xdmf) json='{"written":["a.xdmf","b.xdmf"]}' ;;
esac
echo "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":$json}"
)");
    const RunFolder folder(compute.file("out"));

    const LocalRunResult result =
        run_local(named("a", 1.0), folder, place_in(folder), compute.runner(), with_fields());

    EXPECT_EQ(result.xdmf_files, (std::vector<std::string>{"a.xdmf", "b.xdmf"}));
    const std::string calls = read_file_if_any(compute.program().string() + ".calls");
    EXPECT_TRUE(calls.ends_with("xdmf " + folder.dataset().string() + "\n")) << calls;
}

TEST(LocalRun, ARequestWithoutAMeshIsSolvedAndPackagedAlone) {
    struct Meshless final : request::Request {
        v1::GreensBatch batch;
        [[nodiscard]] const google::protobuf::Message& message() const override { return batch; }
        [[nodiscard]] const std::string& name() const override { return batch.name(); }
        [[nodiscard]] std::string chosen() const override { return ""; }
        [[nodiscard]] request::TaskGraph graph() const override {
            return {{{.verb = "solve", .label = "s", .key = "k", .source = true}}};
        }
        [[nodiscard]] std::vector<request::VerbTime> times(const v1::Estimate&) const override {
            return {};
        }
        void settle(const v1::Estimate&) override {}
    };
    const FakeCompute compute(R"(
echo "$@" >> $0.calls
if [ $1 = package ]; then echo dataset > $7; fi
echo "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{}}"
)");
    const RunFolder folder(compute.file("out"));

    const LocalRunResult result =
        run_local(Meshless(), folder, place_in(folder), compute.runner(), {});

    EXPECT_FALSE(result.mesh_reused);
    EXPECT_EQ(result.package.dataset(), folder.dataset().string());
    const std::string calls = read_file_if_any(compute.program().string() + ".calls");
    EXPECT_TRUE(calls.starts_with("solve --spec ")) << calls;
    EXPECT_EQ(calls.find("mesh"), std::string::npos) << calls;
    EXPECT_EQ(read_file_if_any(folder.dataset()), "dataset\n");
}

}  // namespace
}  // namespace kaname::cli::local_run_test
