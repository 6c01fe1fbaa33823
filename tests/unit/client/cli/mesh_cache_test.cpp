// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/mesh/mesh_cache.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "client/cli/local/local_run.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/batch_request.hpp"
#include "tests/support/fake_compute.hpp"

namespace kaname::cli::mesh_cache_test {
namespace {

namespace fs = std::filesystem;
using Owner = MeshCache::Owner;

/// Keeps all tests of this program out of the user's cache.
class OwnCache final : public testing::Environment {
public:
    void SetUp() override {
        folder_ = std::make_unique<TemporaryFolder>();
        ::setenv("KANAME_CACHE", folder_->path().c_str(), 1);
    }
    void TearDown() override { folder_.reset(); }

private:
    std::unique_ptr<TemporaryFolder> folder_;
};
const testing::Environment* const kOwnCache = testing::AddGlobalTestEnvironment(new OwnCache);

class MeshCacheTest : public testing::Test {
protected:
    MeshCacheTest() {
        ::setenv("KANAME_CACHE", file("cache").c_str(), 1);
        write_file(file("program"), "one");
        write_file(file("mesh.h5"), "mesh");
    }
    ~MeshCacheTest() override {
        previous_.empty() ? ::unsetenv("KANAME_CACHE")
                          : ::setenv("KANAME_CACHE", previous_.c_str(), 1);
    }
    [[nodiscard]] fs::path file(const std::string& name) const { return folder_.path() / name; }

    const std::string previous_ = std::getenv("KANAME_CACHE") ? std::getenv("KANAME_CACHE") : "";
    TemporaryFolder folder_;
};

TEST_F(MeshCacheTest, GivesBackWhatItKeptUnderItsKeyOnly) {
    const MeshCache cache(file("program"));
    EXPECT_FALSE(cache.take("a", file("taken.h5"), Owner::User));

    cache.keep("a", file("mesh.h5"), Owner::User);

    EXPECT_TRUE(cache.take("a", file("taken.h5"), Owner::User));
    EXPECT_EQ(read_file_if_any(file("taken.h5")), "mesh");
    EXPECT_FALSE(cache.take("b", file("other.h5"), Owner::User));
    EXPECT_FALSE(fs::exists(file("other.h5")));
    EXPECT_FALSE(fs::exists(file("taken.h5.part")));
}

TEST_F(MeshCacheTest, AnotherBuildOfTheProgramMakesMeshesAnew) {
    MeshCache(file("program")).keep("a", file("mesh.h5"), Owner::User);
    write_file(file("program"), "three");

    EXPECT_FALSE(MeshCache(file("program")).take("a", file("taken.h5"), Owner::User));
}

TEST_F(MeshCacheTest, WhatAUserDoesToACopyStaysThere) {
    const MeshCache cache(file("program"));
    cache.keep("a", file("mesh.h5"), Owner::User);
    ASSERT_TRUE(cache.take("a", file("taken.h5"), Owner::User));

    std::ofstream(file("taken.h5"), std::ios::app) << "changed";
    std::ofstream(file("mesh.h5"), std::ios::app) << "changed";

    ASSERT_TRUE(cache.take("a", file("again.h5"), Owner::User));
    EXPECT_EQ(read_file_if_any(file("again.h5")), "mesh");
}

TEST_F(MeshCacheTest, OurOwnFilesTakeNoSecondPlaceOnTheDisk) {
    const MeshCache cache(file("program"));
    cache.keep("a", file("mesh.h5"), Owner::Ours);
    ASSERT_TRUE(cache.take("a", file("taken.h5"), Owner::Ours));

    EXPECT_TRUE(fs::equivalent(file("taken.h5"), file("mesh.h5")));
    // Where the file is already there, nothing is left over beside it.
    ASSERT_TRUE(cache.take("a", file("taken.h5"), Owner::Ours));
    EXPECT_FALSE(fs::exists(file("taken.h5.part")));
}

TEST_F(MeshCacheTest, TheLeastRecentlyUsedGoFirst) {
    const MeshCache cache(file("program"), /*most_bytes=*/9);  // room for two meshes of 4 bytes
    cache.keep("a", file("mesh.h5"), Owner::User);
    cache.keep("b", file("mesh.h5"), Owner::User);
    for (const fs::directory_entry& entry : fs::directory_iterator(file("cache") / "meshes")) {
        fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
    ASSERT_TRUE(cache.take("a", file("taken.h5"), Owner::User));

    cache.keep("c", file("mesh.h5"), Owner::User);

    EXPECT_TRUE(cache.take("a", file("taken.h5"), Owner::User));
    EXPECT_FALSE(cache.take("b", file("taken.h5"), Owner::User));
    EXPECT_TRUE(cache.take("c", file("taken.h5"), Owner::User));
}

TEST_F(MeshCacheTest, AFolderThatCannotBeMadeKeepsNothingAndIsNoError) {
    write_file(file("cache"), "no folder");
    const MeshCache cache(file("program"));

    cache.keep("a", file("mesh.h5"), Owner::User);

    EXPECT_FALSE(cache.take("a", file("taken.h5"), Owner::User));
}

TEST_F(MeshCacheTest, ARunOfAnotherFolderFindsTheMeshOfTheFirst) {
    const FakeCompute compute(R"(
echo $1 >> $0.calls
case $1 in
  mesh) echo mesh > $5 ;;
  package) echo dataset > $9 ;;
esac
echo "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{}}"
)");
    v1::GreensBatch batch;
    batch.set_name("tiny");
    const RunFolder one(compute.file("one"));
    const RunFolder two(compute.file("two"));
    const auto run_in = [&](const RunFolder& folder) {
        const OutputPlace place("--output", folder.dataset(), /*force=*/true);
        LocalRunOptions options;
        options.fields = true;
        return run_local(BatchRequest(batch), folder, place, compute.runner(), options);
    };

    EXPECT_FALSE(run_in(one).mesh_reused);
    batch.mutable_time()->set_end_s(5.0);
    EXPECT_TRUE(run_in(two).mesh_reused);

    EXPECT_EQ(read_file_if_any(compute.program().string() + ".calls"),
              "mesh\nsolve\npackage\nshow\nsolve\npackage\nshow\n");
    EXPECT_EQ(read_file_if_any(two.work("mesh.h5")), "mesh\n");
}

}  // namespace
}  // namespace kaname::cli::mesh_cache_test
