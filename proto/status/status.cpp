// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/status.hpp"

#include <algorithm>
#include <new>

#include "proto/google/rpc/status.pb.h"
#include "solvers/base/text.hpp"

namespace kaname::rpc {
namespace {

struct Row {
    ErrorCode code;
    grpc::StatusCode status;
    const char* reason;
};

// Where two rows have one status, the first is what the status comes back as unless the reason says
// otherwise.
constexpr Row kTable[] = {
    {ErrorCode::InvalidArgument, grpc::StatusCode::INVALID_ARGUMENT, "INVALID_ARGUMENT"},
    {ErrorCode::OutOfRange, grpc::StatusCode::OUT_OF_RANGE, "OUT_OF_RANGE"},
    {ErrorCode::NotFound, grpc::StatusCode::NOT_FOUND, "NOT_FOUND"},
    {ErrorCode::Conflict, grpc::StatusCode::ALREADY_EXISTS, "CONFLICT"},
    {ErrorCode::NotReady, grpc::StatusCode::FAILED_PRECONDITION, "NOT_READY"},
    {ErrorCode::Aborted, grpc::StatusCode::ABORTED, "ABORTED"},
    {ErrorCode::Exhausted, grpc::StatusCode::RESOURCE_EXHAUSTED, "EXHAUSTED"},
    {ErrorCode::Unauthenticated, grpc::StatusCode::UNAUTHENTICATED, "UNAUTHENTICATED"},
    {ErrorCode::PermissionDenied, grpc::StatusCode::PERMISSION_DENIED, "PERMISSION_DENIED"},
    {ErrorCode::Unavailable, grpc::StatusCode::UNAVAILABLE, "UNAVAILABLE"},
    {ErrorCode::DataLoss, grpc::StatusCode::DATA_LOSS, "DATA_LOSS"},
    {ErrorCode::Internal, grpc::StatusCode::INTERNAL, "INTERNAL"},
    {ErrorCode::NotConverged, grpc::StatusCode::INTERNAL, "NOT_CONVERGED"},
    {ErrorCode::DeviceFault, grpc::StatusCode::INTERNAL, "DEVICE_FAULT"},
};

constexpr const char* kDomain = "kaname";
// Clients take 8 KiB of trailers by default, and one that gets more sees RESOURCE_EXHAUSTED in
// place of the error. The message travels twice: percent-encoded, and with the details in base64.
constexpr std::size_t kMaxMessage = 2700, kMaxMessageWithDetails = 700;
constexpr std::size_t kMaxDetails = 3600, kMaxDescription = 1000;
constexpr int kRetryDelaySeconds = 1;

const Row& row_of(ErrorCode code) {
    return *std::ranges::find(kTable, code, &Row::code);
}

/// Valid UTF-8 of at most `limit` bytes as gRPC sends a message, with %XX for all but printable
/// ASCII; where it is cut it ends with "...".
std::string short_message(const std::string& message, std::size_t limit) {
    constexpr std::size_t kDots = 3;
    const std::string whole = to_utf8(message);
    std::size_t bytes = 0, cut = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        const auto letter = static_cast<unsigned char>(whole[at]);
        if ((letter & 0xC0U) != 0x80 && bytes + kDots <= limit) {
            cut = at;  // a character begins here, and the dots would fit
        }
        bytes += letter >= ' ' && letter <= '~' && letter != '%' ? 1 : 3;
        if (bytes > limit) {
            return whole.substr(0, cut) + "...";
        }
    }
    return whole;
}

/// As many violations as fit, with the number of all.
google::rpc::BadRequest to_detail(const ValidationError& invalid) {
    google::rpc::BadRequest detail;
    for (const Violation& violation : invalid.violations()) {
        auto& field = *detail.add_field_violations();
        field.set_field(to_utf8(violation.field, kMaxDescription));
        field.set_description(to_utf8(violation.message, kMaxDescription));
        if (detail.ByteSizeLong() > kMaxDetails) {
            detail.mutable_field_violations()->RemoveLast();
            break;
        }
    }
    return detail;
}

template <class Detail>
bool unpack(const google::rpc::Status& status, Detail& detail) {
    return std::ranges::any_of(status.details(),
                               [&](const auto& any) { return any.UnpackTo(&detail); });
}

ErrorCode code_of(grpc::StatusCode status, const std::string& reason) {
    const Row* first = nullptr;
    for (const Row& row : kTable) {
        if (row.status == status && row.reason == reason) {
            return row.code;
        }
        if (row.status == status && first == nullptr) {
            first = &row;
        }
    }
    // Deadlines and lost connections are the transport's; the call may be made again.
    const bool transport =
        status == grpc::StatusCode::DEADLINE_EXCEEDED || status == grpc::StatusCode::CANCELLED;
    return first != nullptr ? first->code
           : transport      ? ErrorCode::Unavailable
                            : ErrorCode::Internal;
}

}  // namespace

grpc::Status to_status(const std::exception& error) {
    ErrorCode code = ErrorCode::Internal;
    std::string message = error.what();
    google::rpc::Status rich;
    google::rpc::BadRequest violations;
    if (const auto* known = dynamic_cast<const Error*>(&error)) {
        code = known->code();
    } else if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        code = ErrorCode::Exhausted;
        message = "the server is out of memory";
    }
    google::rpc::ErrorInfo info;
    info.set_domain(kDomain);
    info.set_reason(row_of(code).reason);
    if (const auto* reasoned = dynamic_cast<const ReasonedError*>(&error)) {
        info.set_reason(reasoned->reason());
    }
    if (const auto* invalid = dynamic_cast<const ValidationError*>(&error)) {
        violations = to_detail(*invalid);
        info.mutable_metadata()->insert(
            {"violations", std::to_string(invalid->violations().size())});
    }
    message = short_message(
        message, violations.field_violations_size() > 0 ? kMaxMessageWithDetails : kMaxMessage);
    rich.set_code(row_of(code).status);
    rich.set_message(message);
    rich.add_details()->PackFrom(info);
    if (violations.field_violations_size() > 0) {
        rich.add_details()->PackFrom(violations);
    }
    if (const auto* quota = dynamic_cast<const QuotaError*>(&error)) {
        google::rpc::QuotaFailure failure;
        failure.add_violations()->set_subject(to_utf8(quota->subject(), kMaxDescription));
        failure.mutable_violations(0)->set_description(to_utf8(message, kMaxDescription));
        rich.add_details()->PackFrom(failure);
    }
    if (code == ErrorCode::Unavailable) {
        google::rpc::RetryInfo retry;
        retry.mutable_retry_delay()->set_seconds(kRetryDelaySeconds);
        rich.add_details()->PackFrom(retry);
    }
    return {row_of(code).status, message, rich.SerializeAsString()};
}

void throw_error(const grpc::Status& status, const std::string& call) {
    google::rpc::Status rich;
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest violations;
    const bool ours = rich.ParseFromString(status.error_details()) && unpack(rich, info) &&
                      info.domain() == kDomain;
    if (!ours) {
        throw Error(code_of(status.error_code(), ""), call + ": " + status.error_message());
    }
    if (unpack(rich, violations)) {
        std::vector<Violation> list;
        for (const auto& field : violations.field_violations()) {
            list.push_back({field.field(), field.description()});
        }
        const auto total = info.metadata().find("violations");
        if (total != info.metadata().end() && total->second != std::to_string(list.size())) {
            list.push_back({"...", total->second + " violations in all"});
        }
        throw ValidationError(std::move(list));
    }
    const ErrorCode code = code_of(status.error_code(), info.reason());
    if (info.reason() != row_of(code).reason) {
        throw ReasonedError(code, info.reason(), status.error_message());
    }
    throw Error(code, status.error_message());
}

}  // namespace kaname::rpc
