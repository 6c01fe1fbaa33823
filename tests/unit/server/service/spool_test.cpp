// SPDX-License-Identifier: BSD-3-Clause
// Bytes that wait for the last of them: on the disk where they are many.
#include <gtest/gtest.h>

#include "server/service/jobs/logs.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::service::spool_test {
namespace {

TEST(SpoolTest, GivesBackWhatCameInPiecesOfAnySize) {
    const TemporaryFolder folder;
    for (const std::size_t size : {std::size_t{1000}, 3 * Spool::kInMemory + 7}) {
        Spool spool(folder.path() / "new");
        std::string text(size, 'x');
        for (std::size_t k = 0; k < size; ++k) {
            text[k] = static_cast<char>(k * 31 % 251);
        }
        for (std::size_t at = 0; at < size; at += 70001) {
            spool.append(std::string_view(text).substr(at, 70001));
        }

        EXPECT_EQ(spool.bytes(), size);
        EXPECT_EQ(spool.next(size / 3), text.substr(0, size / 3));
        EXPECT_EQ(spool.next(size - size / 3), text.substr(size / 3));
        EXPECT_THROW((void)spool.next(1), Error);
    }
}

TEST(SpoolTest, LeavesNoFile) {
    const TemporaryFolder folder;
    Spool spool(folder.path());
    spool.append(std::string(2 * Spool::kInMemory, 'x'));

    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace kaname::service::spool_test
