// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client/cli/common/output_place.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/client/cli/command_call.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli::export_test {
namespace {

namespace fs = std::filesystem;

/// Notes its calls in $0.calls; writes two files, or ends with an error where $0.broken is.
constexpr const char* kVerbs = R"(
echo "$@" >> $0.calls
mkdir -p "$7"
echo numbers > "$7/gf"
if [ -e $0.broken ]; then
  printf '%s\n' '@kaname {"type":"error","code":"InvalidArgument","message":"every source must be done"}'
  exit 2
fi
echo '{}' > "$7/manifest.json"
printf '%s\n' "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{\"written\":[\"$7/gf\",\"$7/manifest.json\"]}}"
)";

std::vector<std::string> export_to(const fs::path& folder, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"export", "greens.h5", "--to",
                                          "csi",    "-o",        folder.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

ErrorCode code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::Internal;
}

TEST(ExportCommand, FilesComeToANewFolderAndAreReportedThere) {
    const FakeCompute compute(kVerbs);
    const TemporaryFolder folder;
    const fs::path out = folder.path() / "deep" / "csi";

    const Outcome outcome =
        call(compute, export_to(out, {"--epoch", "0.5", "--rake", "-90", "--json"}));

    EXPECT_EQ(outcome.code, run::kExitOk);
    EXPECT_EQ(read_file_if_any(out / "gf"), "numbers\n");
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report.at("written").at(1), (out / "manifest.json").string());
    EXPECT_EQ(entries(out.parent_path()), 1u);
    const std::string calls = read_file_if_any(compute.program().string() + ".calls");
    EXPECT_EQ(calls.rfind("export --dataset greens.h5 --to csi --out ", 0), 0u) << calls;
    EXPECT_NE(calls.find(" --epoch=0.5 --rake=-90\n"), std::string::npos) << calls;
}

TEST(ExportCommand, AFailedExportLeavesNothing) {
    const FakeCompute compute(kVerbs);
    const TemporaryFolder folder;
    write_file(compute.program().string() + ".broken", "");

    EXPECT_THROW((void)call(compute, export_to(folder.path() / "csi")), Error);

    EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(ExportCommand, AFolderWithFilesIsKeptUnlessForced) {
    const FakeCompute compute(kVerbs);
    const TemporaryFolder folder;
    write_file(folder.path() / "gf", "mine");
    write_file(folder.path() / "notes", "mine");

    EXPECT_EQ(code_of([&] { (void)call(compute, export_to(folder.path())); }), ErrorCode::Conflict);
    EXPECT_EQ(read_file_if_any(folder.path() / "gf"), "mine");
    (void)call(compute, export_to(folder.path(), {"--force"}));

    EXPECT_EQ(read_file_if_any(folder.path() / "gf"), "numbers\n");
    EXPECT_EQ(read_file_if_any(folder.path() / "notes"), "mine");
    EXPECT_EQ(entries(folder.path()), 3u);
}

TEST(OutputFolder, ALinkStandsForTheFolderItNames) {
    const TemporaryFolder folder;
    fs::create_directory(folder.path() / "real");
    fs::create_directory_symlink("real", folder.path() / "link");
    fs::create_directory(folder.path() / "made");
    write_file(folder.path() / "made" / "gf", "numbers");

    OutputFolder("--output", folder.path() / "link/", false)
        .put(folder.path() / "made", "manifest.json");

    EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
    EXPECT_EQ(read_file_if_any(folder.path() / "real" / "gf"), "numbers");
}

TEST(OutputFolder, RefusesFilesAndLinksToNothingForcedOrNot) {
    const TemporaryFolder folder;
    write_file(folder.path() / "file", "mine");
    fs::create_symlink("nowhere", folder.path() / "dangling");

    for (const char* name : {"file", "dangling"}) {
        for (const bool force : {false, true}) {
            EXPECT_EQ(code_of([&] { OutputFolder("--output", folder.path() / name, force); }),
                      ErrorCode::InvalidArgument)
                << name;
        }
    }
    EXPECT_EQ(code_of([&] { OutputFolder("--output", folder.path() / "file/in", false); }),
              ErrorCode::Unavailable);
}

TEST(OutputFolder, FilesThatCameMeanwhileAreNotReplaced) {
    const TemporaryFolder folder;
    const OutputFolder place("--output", folder.path() / "out", false);
    fs::create_directory(folder.path() / "made");
    write_file(folder.path() / "made" / "gf", "numbers");
    fs::create_directory(folder.path() / "out");
    write_file(folder.path() / "out" / "gf", "mine");

    EXPECT_EQ(code_of([&] { place.put(folder.path() / "made", ""); }), ErrorCode::Conflict);

    EXPECT_EQ(read_file_if_any(folder.path() / "out" / "gf"), "mine");
    EXPECT_TRUE(fs::exists(folder.path() / "made" / "gf"));
}

TEST(OutputFolder, AFolderInAFilesPlaceIsRefusedBeforeAnythingMoves) {
    const TemporaryFolder folder;
    fs::create_directories(folder.path() / "out" / "z.gf");
    fs::create_directory(folder.path() / "made");
    write_file(folder.path() / "made" / "a.gf", "numbers");
    write_file(folder.path() / "made" / "z.gf", "numbers");
    const OutputFolder place("--output", folder.path() / "out", true);

    EXPECT_EQ(code_of([&] { place.put(folder.path() / "made", ""); }), ErrorCode::InvalidArgument);

    EXPECT_FALSE(fs::exists(folder.path() / "out" / "a.gf"));
}

}  // namespace
}  // namespace kaname::cli::export_test
