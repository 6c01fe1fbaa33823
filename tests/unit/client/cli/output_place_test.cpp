// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/output_place.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "client/cli/common/preflight.hpp"
#include "client/cli/local/run_folder.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/client/cli/command_call.hpp"

namespace kaname::cli::output_place_test {
namespace {

namespace fs = std::filesystem;

/// "Code: message" of what `action` throws, "" when it throws nothing.
template <class Action>
std::string refusal_of(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "";
}

std::string refusal_at(const fs::path& path, bool force = false) {
    return refusal_of([&] { OutputPlace("--output", path, force); });
}

TEST(OutputPlace, OnlyNewAndRegularFilesArePlacesForcedOrNot) {
    const TemporaryFolder folder;
    const fs::path pipe = folder.path() / "pipe", dangling = folder.path() / "dangling",
                   loop = folder.path() / "null";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("nowhere", dangling);
    fs::create_symlink("/dev/null", loop);

    for (const bool force : {false, true}) {
        EXPECT_EQ(refusal_at("/dev/null", force),
                  "InvalidArgument: --output: must name a new or a regular file, '/dev/null' is a "
                  "device");
        EXPECT_TRUE(refusal_at(folder.path(), force).ends_with("is a folder"));
        EXPECT_TRUE(refusal_at(pipe, force).ends_with("is a pipe"));
        EXPECT_TRUE(
            refusal_at(dangling, force).ends_with("is a link that is no way to a regular file"));
        EXPECT_TRUE(
            refusal_at(loop, force).ends_with("is a link that is no way to a regular file"));
    }
    EXPECT_EQ(refusal_at(folder.path() / "new" / "file"), "");
    EXPECT_EQ(refusal_at("/dev/null/x/greens.h5")
                  .rfind("Unavailable: --output: must be a place "
                         "that can be written, got '/dev/null/x'",
                         0),
              0u);
}

TEST(OutputPlace, AFileThatIsThereNeedsForceOrAJudgeThatKnowsIt) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "greens.h5";
    write_file(file, "other");

    EXPECT_EQ(refusal_at(file), "Conflict: --output: must not replace '" + file.string() +
                                    "', which is there already; name another place, or give "
                                    "--force");
    EXPECT_EQ(refusal_at(file, true), "");
    EXPECT_EQ(refusal_of([&] {
                  OutputPlace("--output", file, false, [](const fs::path&) { return ""; });
              }),
              "");
}

TEST(OutputPlace, WhatCameMeanwhileStays) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "greens.h5", made = folder.path() / "made";
    const OutputPlace place("--output", file, false);
    write_file(made, "ours");
    write_file(file, "theirs");

    const std::string refusal = refusal_of([&] { place.put(made); });

    EXPECT_NE(refusal.find("which came there meanwhile"), std::string::npos) << refusal;
    EXPECT_EQ(read_file_if_any(file), "theirs");
    EXPECT_EQ(read_file_if_any(made), "ours");
}

TEST(OutputPlace, AKnownFileThatWasChangedMeanwhileStays) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "greens.h5", made = folder.path() / "made";
    write_file(file, "known");
    const OutputPlace place("--output", file, false, [](const fs::path&) { return ""; });
    write_file(made, "ours");
    write_file(file, "theirs");

    EXPECT_NE(refusal_of([&] { place.put(made); }), "");
    EXPECT_EQ(read_file_if_any(file), "theirs");
}

TEST(OutputPlace, ALinkToAFileStaysALink) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "disk.h5", link = folder.path() / "link.h5";
    write_file(file, "old");
    fs::create_symlink(file, link);
    const OutputPlace place("--output", link, true);
    write_file(place.part(), "new");

    place.put(place.part());

    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_file_if_any(file), "new");
}

TEST(OutputPlace, SaysHowMuchRoomIsLacking) {
    const TemporaryFolder folder;
    const OutputPlace place("--output", folder.path() / "greens.h5", false);

    EXPECT_EQ(refusal_of([&] { place.check_space(1e3); }), "");
    EXPECT_EQ(refusal_of([&] {
                  place.check_space(1e18);
              }).rfind("Exhausted: --output: must have room for ", 0),
              0u);
}

/// A program that shows a dataset of $0.spec with one source.
constexpr const char* kShow = R"(
if grep -q dataset $3; then
  echo "@kaname {\"type\":\"result\",\"verb\":\"show\",\"result\":{\"name\":\"tiny\",\"status_counts\":{\"done\":1},\"provenance\":{\"specification\":$(cat $0.spec)}}}"
else
  echo '@kaname {"type":"error","code":"InvalidArgument","message":"not HDF5","violations":[]}'
  exit 2
fi
)";

TEST(SameDataset, IsOneOfTheSameSpecificationWithNoMoreSources) {
    const FakeCompute compute(kShow);
    const request::LoadedBatch loaded = request::load_batch_file(kRequestFile);
    write_file(compute.program().string() + ".spec", request::canonical_json(loaded.batch));
    const fs::path file = compute.file("greens.h5");
    const auto judged = [&](const std::string& hash, long long done) {
        return same_dataset({hash, done}, compute.runner())(file);
    };
    const std::string hash = request::content_hash(loaded.batch);

    write_file(file, "dataset");
    EXPECT_EQ(judged(hash, 1), "");
    EXPECT_EQ(judged(hash, 0), "holds more sources of this request (1)");
    EXPECT_EQ(judged("0", 1), "is a dataset of another request ('tiny')");
    EXPECT_EQ(judged("", 1), "is a dataset of another request ('tiny')");
    write_file(file, "a thesis");
    EXPECT_EQ(judged(hash, 1), "is no dataset");
}

TEST(RunFolder, WhatAnInterruptedRunOfAnotherSpecificationFinishedStays) {
    const TemporaryFolder folder;
    const request::LoadedBatch loaded = request::load_batch_file(kRequestFile);
    write_file(folder.path() / "notes", "");
    const auto refusal = [&](const std::string& hash) {
        return refusal_of([&] { RunFolder::check_free(folder.path(), hash); });
    };
    fs::create_directories(folder.path() / "work" / "sources");
    write_file(folder.path() / "work" / "spec.json", request::to_json(loaded.batch));

    EXPECT_EQ(refusal("0"), "");  // nothing is finished there
    write_file(folder.path() / "work" / "sources" / "s00d00.h5", "source");
    EXPECT_EQ(refusal(request::content_hash(loaded.batch)), "");
    EXPECT_NE(refusal("0").find("interrupted run of another request"), std::string::npos);
}

}  // namespace
}  // namespace kaname::cli::output_place_test
