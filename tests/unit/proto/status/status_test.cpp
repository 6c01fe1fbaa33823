// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/status.hpp"

#include <gtest/gtest.h>

namespace kaname::rpc {
namespace {

/// What arrives on the other side.
template <class Expected>
Expected over_the_wire(const std::exception& error) {
    try {
        throw_error(to_status(error), "call");
    } catch (const Expected& arrived) {
        return arrived;
    }
}

TEST(Status, EveryCodeComesBack) {
    for (const ErrorCode code :
         {ErrorCode::InvalidArgument, ErrorCode::OutOfRange, ErrorCode::NotFound,
          ErrorCode::Conflict, ErrorCode::NotReady, ErrorCode::Aborted, ErrorCode::Exhausted,
          ErrorCode::Unauthenticated, ErrorCode::PermissionDenied, ErrorCode::Unavailable,
          ErrorCode::NotConverged, ErrorCode::DeviceFault, ErrorCode::DataLoss,
          ErrorCode::Internal}) {
        const auto arrived = over_the_wire<Error>(Error(code, "value 3 breaks rule"));
        EXPECT_EQ(arrived.code(), code);
        EXPECT_STREQ(arrived.what(), "value 3 breaks rule");
    }
}

TEST(Status, CodesAreThoseOfTheApi) {
    const auto status_of = [](ErrorCode code) { return to_status(Error(code, "")).error_code(); };

    EXPECT_EQ(status_of(ErrorCode::Conflict), grpc::StatusCode::ALREADY_EXISTS);
    EXPECT_EQ(status_of(ErrorCode::NotReady), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(status_of(ErrorCode::Aborted), grpc::StatusCode::ABORTED);
    EXPECT_EQ(status_of(ErrorCode::DataLoss), grpc::StatusCode::DATA_LOSS);
    EXPECT_EQ(to_status(std::runtime_error("x")).error_code(), grpc::StatusCode::INTERNAL);
}

TEST(Status, ViolationsKeepTheirFields) {
    const ValidationError error({{"time.end_s", "must be >= 0, got -1"}, {"mesh", "too fine"}});

    const auto arrived = over_the_wire<ValidationError>(error);

    ASSERT_EQ(arrived.violations().size(), 2U);
    EXPECT_EQ(arrived.violations()[0].field, "time.end_s");
    EXPECT_EQ(arrived.violations()[1].message, "too fine");
}

TEST(Status, ManyViolationsAreCutAndCounted) {
    const ValidationError error(std::vector<Violation>(250, {"stations", "bad"}));

    const auto arrived = over_the_wire<ValidationError>(error);

    ASSERT_EQ(arrived.violations().size(), 101U);
    EXPECT_EQ(arrived.violations().back().message, "250 violations in all");
    EXPECT_LE(to_status(error).error_message().size(), 4096U);
}

TEST(Status, ReasonComesBack) {
    const ReasonedError error(ErrorCode::Aborted, kLeaseLost, "task 7");

    const auto arrived = over_the_wire<ReasonedError>(error);

    EXPECT_EQ(arrived.reason(), kLeaseLost);
    EXPECT_EQ(arrived.code(), ErrorCode::Aborted);
}

TEST(Status, TransportErrorsNameTheCall) {
    try {
        throw_error({grpc::StatusCode::UNAVAILABLE, "connection refused"}, "GetJob");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_STREQ(error.what(), "GetJob: connection refused");
    }
}

}  // namespace
}  // namespace kaname::rpc
