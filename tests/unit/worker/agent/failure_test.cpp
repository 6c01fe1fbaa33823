// SPDX-License-Identifier: BSD-3-Clause
// The server learns how a stage that threw has failed.
#include <gtest/gtest.h>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "worker/agent/agent.hpp"
#include "worker/agent/stages/watch.hpp"

namespace kaname::agent::failure_test {
namespace {

template <class Thrown>
StageFailure of(const Thrown& thrown) {
    return describe_failure(std::make_exception_ptr(thrown));
}

TEST(StageFailure, WhoIsToBlameDecidesWhetherAnotherAttemptIsMade) {
    EXPECT_EQ(of(RunFailed("hung", "silence")).kind, FailureKind::Crash);
    EXPECT_EQ(of(RunFailed("hung", "silence")).error_class, "hung");
    EXPECT_EQ(of(DeviceError({"k", "cudaErrorECCUncorrectable", "g"}, "m")).kind,
              FailureKind::Retryable);
    EXPECT_EQ(of(DeviceError({"k", "cudaErrorIllegalAddress", "g"}, "m")).kind, FailureKind::Crash);
    EXPECT_EQ(of(Error(ErrorCode::InvalidArgument, "m")).kind, FailureKind::Final);
    EXPECT_EQ(of(Error(ErrorCode::Exhausted, "m")).kind, FailureKind::Retryable);
    EXPECT_EQ(of(InputMissing("m", false)).error_class, "input_missing");
    EXPECT_EQ(of(InputMissing("m", false)).kind, FailureKind::Retryable);
    EXPECT_EQ(of(report::BrokenReport("m")).error_class, "unexpected");
    EXPECT_EQ(of(report::BrokenReport("m")).kind, FailureKind::Retryable);
    EXPECT_EQ(of(std::runtime_error("m")).error_class, "unexpected");
}

}  // namespace
}  // namespace kaname::agent::failure_test
