// SPDX-License-Identifier: BSD-3-Clause
// A disk that refuses an fsync: what it refused is written anew, not acknowledged by the next try.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/artifacts/filesystem/file.hpp"
#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/failing_fsync.hpp"

namespace kaname::artifacts::failed_fsync_test {
namespace {

namespace fs = std::filesystem;
using failing_fsync::After;

constexpr std::string_view kText = "abcdef";

class FailedFsyncTest : public testing::Test {
protected:
    FailedFsyncTest() { options_.min_free_bytes = 0; }

    /// Uploads kText; false when the disk refuses it.
    static bool put(FilesystemStore& store) {
        const auto upload = store.begin_put(sha256_hex(kText), kText.size());
        upload->write(upload->offset(), std::as_bytes(std::span(kText)).subspan(upload->offset()));
        try {
            upload->commit();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Unavailable);
            return false;
        }
        return true;
    }

    TemporaryFolder folder_;
    StoreOptions options_;
};

TEST_F(FailedFsyncTest, WhateverOfAnUploadItHitsTheNextTryWritesAllAgain) {
    // The file's own, that of the folder's new name, and that of the file's new name.
    for (const int first : {0, 1, 2}) {
        FilesystemStore store(folder_.path() / std::to_string(first), options_);
        const std::string hash = sha256_hex(kText);
        {
            const After disk(first);
            EXPECT_FALSE(put(store)) << first;
            EXPECT_TRUE(After::has_failed());
        }

        EXPECT_EQ(store.look_up(hash, kText.size()), 0U) << first;
        EXPECT_FALSE(store.exists(hash)) << first;
        EXPECT_TRUE(put(store)) << first;
        store.verify(hash);
    }
}

TEST_F(FailedFsyncTest, FolderWithoutADurableNameIsMadeAgain) {
    const fs::path folder = folder_.path() / "objects";
    {
        const After disk(0);
        EXPECT_THROW(make_folder(folder), Error);
    }

    EXPECT_FALSE(fs::exists(folder));
    make_folder(folder);
    EXPECT_TRUE(fs::exists(folder));
}

TEST_F(FailedFsyncTest, StoreGetsAnotherId) {
    for (const int first : {0, 1}) {
        const fs::path root = folder_.path() / ("id" + std::to_string(first));
        make_folder(root);
        {
            const After disk(first);
            EXPECT_THROW((void)store_id_of(root), Error) << first;
        }
        EXPECT_TRUE(fs::is_empty(root)) << first;
        EXPECT_EQ(store_id_of(root), store_id_of(root));
    }
}

}  // namespace
}  // namespace kaname::artifacts::failed_fsync_test
