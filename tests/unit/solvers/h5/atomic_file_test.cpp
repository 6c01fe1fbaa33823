// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/failing_fsync.hpp"

namespace kaname::h5::atomic_file_test {
namespace {

TEST(AtomicFile, ThatTheDiskRefusedIsNotThere) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "f.h5";
    // The file's own fsync, and that of the folder with its new name.
    for (const int first : {0, 1}) {
        {
            const failing_fsync::After disk(first);
            EXPECT_THROW(write_atomically(path.string(), [](File&) {}), Error) << first;
        }
        EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << first;
    }

    write_atomically(path.string(), [](File&) {});
    EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace kaname::h5::atomic_file_test
