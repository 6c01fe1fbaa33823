// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "client/cli/jobs/files.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/client/cli/command_call.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli::request_files_test {
namespace {

using nlohmann::json;

const std::string kSlab(64, 'a');
const std::string kStations(64, 'b');

json specification() {
    return {{"name", "n"},
            {"fault", {{"interface", {{"surface", {{"sha256", kSlab}}}}}}},
            {"structure", {{"surface", {{"sha256", kSlab}}}}},
            {"stations", {{"files", {{{"sha256", kStations}}}}}}};
}

TEST(RequestFiles, AreFoundWithTheirFieldsAndNamedAfterThem) {
    const std::vector<RequestFile> files = files_of(specification());

    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].field, "fault.interface.surface");
    EXPECT_EQ(files[0].sha256, kSlab);
    EXPECT_EQ(files[1].field, "stations.files[0]");
    EXPECT_EQ(files[1].name, "stations.files.0");
    EXPECT_EQ(files[2].field, "structure.surface");
    EXPECT_EQ(files[2].name, files[0].name) << "the same file";
    const json named = with_names(specification());
    EXPECT_EQ(named["stations"]["files"][0]["path"], "stations.files.0");
    EXPECT_EQ(named["structure"]["surface"]["path"], "fault.interface.surface");
    EXPECT_TRUE(is_sha256(kSlab));
    EXPECT_FALSE(is_sha256(kSlab + "a"));
    EXPECT_FALSE(is_sha256(std::string(64, 'g')));
}

/// A kaname-compute whose dataset has a request without or with files.
std::string show(const json& specification) {
    return "echo '@kaname {\"type\":\"result\",\"verb\":\"show\",\"result\":{\"provenance\":"
           "{\"specification\":" +
           specification.dump() + "}}}'";
}

TEST(FilesCommand, ListsTheFilesOfADatasetWithoutAServer) {
    const FakeCompute compute(show(specification()).c_str());

    const Outcome outcome = call(compute, {"files", "greens.h5"});

    EXPECT_EQ(outcome.code, run::kExitOk);
    EXPECT_NE(outcome.out.find("stations.files[0]        " + kStations), std::string::npos)
        << outcome.out;
}

TEST(FilesCommand, WritesTheSpecificationAndSparesOtherFiles) {
    const FakeCompute compute(show({{"name", "n"}}).c_str());
    const std::string folder = compute.file("back").string();
    const std::string path = folder + "/request.yaml";

    EXPECT_EQ(call(compute, {"files", "greens.h5", "--output", folder}).code, run::kExitOk);
    EXPECT_EQ(json::parse(read_file_if_any(path)), (json{{"name", "n"}}));
    EXPECT_EQ(call(compute, {"files", "greens.h5", "--output", folder}).code, run::kExitOk)
        << "the same file may stay";

    write_file(path, "mine");
    try {
        (void)call(compute, {"files", "greens.h5", "--output", folder});
        FAIL() << "another file was replaced";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Conflict);
        EXPECT_NE(std::string(error.what()).find("--force"), std::string::npos);
    }
    EXPECT_EQ(read_file_if_any(path), "mine");
    EXPECT_EQ(call(compute, {"files", "greens.h5", "--output", folder, "--force"}).code,
              run::kExitOk);
}

}  // namespace
}  // namespace kaname::cli::request_files_test
