// SPDX-License-Identifier: BSD-3-Clause
#include "worker/channel/exit_code.hpp"

#include <gtest/gtest.h>

namespace kaname::channel {
namespace {

TEST(ExitCode, FollowsTheDocumentedTable) {
    EXPECT_EQ(exit_code(ErrorCode::InvalidArgument), 2);
    EXPECT_EQ(exit_code(ErrorCode::NotFound), 3);
    EXPECT_EQ(exit_code(ErrorCode::NotConverged), 4);
    EXPECT_EQ(exit_code(ErrorCode::Unavailable), 5);
    EXPECT_EQ(exit_code(ErrorCode::DeviceFault), 5);
    EXPECT_EQ(exit_code(ErrorCode::Conflict), 6);
    EXPECT_EQ(exit_code(ErrorCode::Internal), 70);
}

TEST(ExitCode, StandsForTheErrorItWasMadeOf) {
    for (const ErrorCode code :
         {ErrorCode::InvalidArgument, ErrorCode::NotFound, ErrorCode::Conflict,
          ErrorCode::Unavailable, ErrorCode::NotConverged, ErrorCode::Internal}) {
        EXPECT_EQ(error_of_exit(exit_code(code)), code);
    }
    EXPECT_EQ(error_of_exit(1), ErrorCode::Internal);
}

}  // namespace
}  // namespace kaname::channel
