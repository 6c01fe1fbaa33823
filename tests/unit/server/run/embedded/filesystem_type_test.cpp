// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <linux/magic.h>

#include "server/run/embedded/binaries.hpp"

namespace kaname::embedded::filesystem_type_test {
namespace {

TEST(FilesystemType, NetworkFileSystemsAreKnown) {
    EXPECT_EQ(network_filesystem(NFS_SUPER_MAGIC), "NFS");
    EXPECT_EQ(network_filesystem(SMB_SUPER_MAGIC), "SMB");
    EXPECT_EQ(network_filesystem(static_cast<int>(0xFF534D42)), "CIFS");  // as a signed number
}

TEST(FilesystemType, LocalDisksAreNotMistakenForThem) {
    EXPECT_EQ(network_filesystem(EXT4_SUPER_MAGIC), std::nullopt);
    EXPECT_EQ(network_filesystem(XFS_SUPER_MAGIC), std::nullopt);
    EXPECT_EQ(network_filesystem(OVERLAYFS_SUPER_MAGIC), std::nullopt);
    EXPECT_NO_THROW(require_local_disk("/"));
}

}  // namespace
}  // namespace kaname::embedded::filesystem_type_test
