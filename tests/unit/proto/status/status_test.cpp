// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/status.hpp"

#include <gtest/gtest.h>

#include "proto/google/rpc/status.pb.h"
#include "solvers/base/text.hpp"

namespace kaname::rpc::status_test {
namespace {

/// Returns the exception that arrives on the other side.
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

TEST(Status, AQuotaIsToldWithWhoseItIs) {
    const QuotaError error("owners/ann", "queued tasks: 3 of 4");
    const auto arrived = over_the_wire<ReasonedError>(error);
    EXPECT_EQ(arrived.code(), ErrorCode::Exhausted);
    EXPECT_EQ(arrived.reason(), "QUOTA_EXCEEDED");

    google::rpc::Status rich;
    ASSERT_TRUE(rich.ParseFromString(to_status(error).error_details()));
    google::rpc::QuotaFailure failure;
    for (const auto& detail : rich.details()) {
        (void)detail.UnpackTo(&failure);
    }

    ASSERT_EQ(failure.violations_size(), 1);
    EXPECT_EQ(failure.violations(0).subject(), "owners/ann");
    EXPECT_EQ(failure.violations(0).description(), "queued tasks: 3 of 4");
}

TEST(Status, ViolationsKeepTheirFields) {
    const ValidationError error({{"time.end_s", "must be >= 0, got -1"}, {"mesh", "too fine"}});

    const auto arrived = over_the_wire<ValidationError>(error);

    ASSERT_EQ(arrived.violations().size(), 2U);
    EXPECT_EQ(arrived.violations()[0].field, "time.end_s");
    EXPECT_EQ(arrived.violations()[1].message, "too fine");
}

/// Bytes of the trailers that carry a status: percent-encoded message, details in base64.
std::size_t trailer_bytes(const grpc::Status& status) {
    std::size_t bytes = 4 * status.error_details().size() / 3;
    for (const char letter : status.error_message()) {
        bytes += letter >= ' ' && letter <= '~' && letter != '%' ? 1 : 3;
    }
    return bytes;
}

TEST(Status, ManyViolationsAreCutAndCounted) {
    const ValidationError error(std::vector<Violation>(
        5000, {"stations.list[12]", "must lie in the region, got \u00e9\u5357\u6d77 138, 36"}));

    const auto arrived = over_the_wire<ValidationError>(error);

    EXPECT_GT(arrived.violations().size(), 30U);
    EXPECT_LT(arrived.violations().size(), 101U);
    EXPECT_EQ(arrived.violations().back().message, "5000 violations in all");
    EXPECT_LT(trailer_bytes(to_status(error)), 7500U);
}

TEST(Status, AnyTextFitsTheTrailersAndIsValid) {
    std::string text;
    while (text.size() < 6000) {
        text += "%\n\xff\u5730\u9707 and words";
        const grpc::Status status = to_status(Error(ErrorCode::Internal, text));

        ASSERT_LT(trailer_bytes(status), 7500U);
        ASSERT_TRUE(is_utf8(status.error_message()));
        ASSERT_NO_THROW((void)over_the_wire<Error>(Error(ErrorCode::Internal, text)));
    }
    const ValidationError one(std::vector<Violation>{{"f\xff", text}});
    EXPECT_EQ(over_the_wire<ValidationError>(one).violations().at(0).field, "f\uFFFD");
    EXPECT_LT(trailer_bytes(to_status(one)), 7500U);
    const std::string short_text = "a\xff";
    EXPECT_STREQ(over_the_wire<Error>(Error(ErrorCode::Conflict, short_text)).what(), "a\uFFFD");
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
}  // namespace kaname::rpc::status_test
