// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/error_answer.hpp"

#include <algorithm>
#include <cctype>

#include <google/protobuf/util/json_util.h>

#include "proto/google/rpc/status.pb.h"
#include "proto/reason/reasoned_error.hpp"
#include "proto/status/status.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::http {
namespace {

/// As google.rpc.Code maps them, but for FAILED_PRECONDITION: what is not there yet conflicts with
/// the state of the thing, not with the request.
int http_status(grpc::StatusCode code) {
    switch (code) {
        case grpc::StatusCode::INVALID_ARGUMENT:
        case grpc::StatusCode::OUT_OF_RANGE:
            return 400;
        case grpc::StatusCode::UNAUTHENTICATED:
            return 401;
        case grpc::StatusCode::PERMISSION_DENIED:
            return 403;
        case grpc::StatusCode::NOT_FOUND:
            return 404;
        case grpc::StatusCode::ALREADY_EXISTS:
        case grpc::StatusCode::FAILED_PRECONDITION:
        case grpc::StatusCode::ABORTED:
            return 409;
        case grpc::StatusCode::RESOURCE_EXHAUSTED:
            return 429;
        case grpc::StatusCode::UNAVAILABLE:
            return 503;
        default:
            return 500;
    }
}

/// Who sends JSON takes it.
bool takes_json(const Request& request) {
    if (request.method == "POST") {
        return true;
    }
    std::string accept = request.header("accept").value_or("");
    std::ranges::transform(accept, accept.begin(), [](unsigned char c) { return std::tolower(c); });
    return accept.find("json") != std::string::npos;
}

/// Returns after how many seconds asking again makes sense: what the error knows; for a quota until
/// work of its owner may have ended; else a moment, as places of calls come free.
int retry_after_s(const std::exception& error) {
    constexpr int kOfQuota_s = 60, kMoment_s = 1;
    if (const auto* later = dynamic_cast<const RetryLater*>(&error)) {
        return later->after_s();
    }
    const auto* reasoned = dynamic_cast<const rpc::ReasonedError*>(&error);
    return reasoned != nullptr && reasoned->reason() == rpc::kQuotaExceeded ? kOfQuota_s
                                                                            : kMoment_s;
}

}  // namespace

Answer error_answer(const Request& request, const std::exception& error,
                    std::optional<int> status) {
    const grpc::Status told = rpc::to_status(error);
    Answer answer = plain(status.value_or(http_status(told.error_code())), to_utf8(error.what()));
    google::rpc::Status rich;
    std::string json;
    if (takes_json(request) && rich.ParseFromString(told.error_details()) &&
        google::protobuf::util::MessageToJsonString(rich, &json).ok()) {
        answer.headers = {{"Content-Type", "application/json"}};
        answer.text = json + "\n";
    }
    answer.headers.emplace_back("Cache-Control", "no-store");
    if (answer.status == 401) {
        answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"kaname\"");
    }
    if (answer.status == 429 || answer.status == 503) {
        answer.headers.emplace_back("Retry-After", std::to_string(retry_after_s(error)));
    }
    return answer;
}

}  // namespace kaname::http
