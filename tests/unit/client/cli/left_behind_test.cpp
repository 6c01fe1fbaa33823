// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include <gtest/gtest.h>

#include "client/cli/local/run_folder.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/client/cli/command_call.hpp"

namespace kaname::cli::left_behind_test {
namespace {

/// The folder of a run of kRequestFile.
class LeftBehindTest : public ::testing::Test {
protected:
    LeftBehindTest() { std::filesystem::create_directories(work / "sources"); }
    void begin() const { write_file(work / "spec.json", request::to_json(batch)); }

    TemporaryFolder folder;
    std::filesystem::path work = folder.path() / "work";
    v1::GreensBatch batch = request::load_batch_file(kRequestFile).batch;
    std::string hash = request::content_hash(batch);
};

TEST_F(LeftBehindTest, WithoutAFinishedStageTheNextRunBeginsAnew) {
    const LeftBehind left(folder.path(), hash);
    EXPECT_EQ(left.text("resume"), "nothing was begun: the next run begins anew");
    begin();
    EXPECT_EQ(left.text("resume"), "nothing was finished: the next run begins anew");
}

TEST_F(LeftBehindTest, ACheckpointIsNamedWithTheCommandThatGoesOnFromIt) {
    begin();
    const LeftBehind left(folder.path(), hash);
    write_file(work / "mesh.key", "key");
    write_file(work / "sources" / "source_a.h5", "");
    EXPECT_EQ(left.text("resume"),
              "kept: the mesh and 1 source; no checkpoint had been written, so the rest begins "
              "anew with\n  resume");
    write_file(work / "sources" / "checkpoint.h5", "");
    EXPECT_EQ(left.text("resume"),
              "it goes on at its last checkpoint; kept besides: the mesh and 1 source; the "
              "command:\n  resume");
}

TEST_F(LeftBehindTest, WhatAnotherSpecificationLeftIsNotTold) {
    write_file(work / "spec.json", "{}");
    write_file(work / "mesh.key", "key");
    for (const char* name : {"source_a.h5", "checkpoint.h5"}) {
        write_file(work / "sources" / name, "");
        std::filesystem::last_write_time(
            work / "sources" / name,
            std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    }
    const LeftBehind left(folder.path(), hash);
    EXPECT_EQ(left.text("resume"), "nothing was begun: the next run begins anew");
    begin();
    EXPECT_EQ(left.text("resume"),
              "kept: the mesh; no checkpoint had been written, so the rest begins anew with\n  "
              "resume");
}

}  // namespace
}  // namespace kaname::cli::left_behind_test
