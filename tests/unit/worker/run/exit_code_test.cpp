// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/exit_code.hpp"

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace kaname::run::exit_code_test {
namespace {

TEST(ExitCode, FollowsTheDocumentedTable) {
    EXPECT_EQ(exit_code(ErrorCode::InvalidArgument), 2);
    EXPECT_EQ(exit_code(ErrorCode::NotFound), 3);
    EXPECT_EQ(exit_code(ErrorCode::NotConverged), 4);
    EXPECT_EQ(exit_code(ErrorCode::Unavailable), 5);
    EXPECT_EQ(exit_code(ErrorCode::DeviceFault), 5);
    EXPECT_EQ(exit_code(ErrorCode::Conflict), 6);
    EXPECT_EQ(exit_code(ErrorCode::DataLoss), 2);
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

TEST(ExitCode, TheHelpIsTwoLinesOfATerminal) {
    std::istringstream help(kExitCodesHelp);
    std::vector<std::string> lines;
    for (std::string line; std::getline(help, line);) {
        EXPECT_LE(line.size(), 80U) << line;
        lines.push_back(line);
    }

    EXPECT_EQ(lines.size(), 2U);
    for (const int code :
         {kExitOk, kExitUnsound, kExitBadInput, kExitNotFound, kExitSomeFailed, kExitUnavailable,
          kExitConflict, kExitDenied, kExitInternal, kExitInterrupted}) {
        EXPECT_NE((" " + lines[0] + " " + lines[1]).find(" " + std::to_string(code) + " "),
                  std::string::npos)
            << code;
    }
}

}  // namespace
}  // namespace kaname::run::exit_code_test
