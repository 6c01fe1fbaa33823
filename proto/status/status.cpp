// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/status.hpp"

#include <algorithm>
#include <new>

#include "proto/google/rpc/status.pb.h"

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
constexpr std::size_t kMaxMessage = 4096;
constexpr std::size_t kMaxViolations = 100;
constexpr int kRetryDelaySeconds = 1;

const Row& row_of(ErrorCode code) {
    return *std::ranges::find(kTable, code, &Row::code);
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
        for (std::size_t i = 0; i < std::min(invalid->violations().size(), kMaxViolations); ++i) {
            const Violation& violation = invalid->violations()[i];
            auto* field = violations.add_field_violations();
            field->set_field(violation.field);
            field->set_description(violation.message);
        }
        info.mutable_metadata()->insert(
            {"violations", std::to_string(invalid->violations().size())});
    }
    if (message.size() > kMaxMessage) {
        message = message.substr(0, kMaxMessage - 3) + "...";
    }
    rich.set_code(row_of(code).status);
    rich.set_message(message);
    rich.add_details()->PackFrom(info);
    if (violations.field_violations_size() > 0) {
        rich.add_details()->PackFrom(violations);
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
