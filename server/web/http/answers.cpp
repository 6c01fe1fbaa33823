// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/answers.hpp"

#include <algorithm>
#include <cctype>

#include <google/protobuf/util/json_util.h>

#include "proto/google/rpc/status.pb.h"
#include "proto/reason/reasoned_error.hpp"
#include "proto/status/status.hpp"
#include "server/web/http/ranges.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

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

namespace {

unsigned nibble(char digit) {
    return static_cast<unsigned>(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

/// The base64 of the 32 bytes that 64 hexadecimal digits stand for.
std::string base64_of_hex(const std::string& hex) {
    constexpr const char* kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    unsigned bits = 0;
    int n_bits = 0;
    for (const char digit : hex) {
        bits = bits << 4U | nibble(digit);
        n_bits += 4;
        if (n_bits >= 6) {
            n_bits -= 6;
            text += kLetters[bits >> static_cast<unsigned>(n_bits) & 63U];
        }
    }
    if (n_bits > 0) {
        text += kLetters[bits << static_cast<unsigned>(6 - n_bits) & 63U];
    }
    return text + std::string((4 - text.size() % 4) % 4, '=');
}

}  // namespace

Answer file_answer(const Request& request, StoredFile file) {
    const auto if_match = request.header("if-match");
    if (if_match && !has_tag(*if_match, file.sha256, false)) {
        return error_answer(
            request,
            Error(ErrorCode::Aborted,
                  "If-Match must name the file that is here, \"" + file.sha256 + '"'),
            412);
    }
    Answer answer;
    answer.headers = {{"ETag", '"' + file.sha256 + '"'},
                      {"Cache-Control", file.may_change ? "private, no-cache"
                                                        : "private, max-age=31536000, immutable"}};
    const auto none_match = request.header("if-none-match");
    if (none_match && has_tag(*none_match, file.sha256, true)) {
        answer.status = 304;
        return answer;
    }
    Selection selection{Selection::Kind::Whole, 0, file.bytes};
    const auto range = request.header("range"), if_range = request.header("if-range");
    // A date in If-Range matches nothing: files here have none.
    if (request.method == "GET" && range && (!if_range || has_tag(*if_range, file.sha256, false))) {
        selection = select_range(*range, file.bytes);
    }
    const std::string size = std::to_string(file.bytes);
    if (selection.kind == Selection::Kind::None) {
        answer = error_answer(request,
                              Error(ErrorCode::OutOfRange,
                                    "Range must begin within the " + size + " bytes of the file"),
                              416);
        answer.headers.emplace_back("Content-Range", "bytes */" + size);
        return answer;
    }
    if (selection.kind == Selection::Kind::Part) {
        answer.status = 206;
        answer.headers.emplace_back(
            "Content-Range", "bytes " + std::to_string(selection.offset) + '-' +
                                 std::to_string(selection.offset + selection.bytes - 1) + '/' +
                                 size);
    }
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
             {"Accept-Ranges", "bytes"},
             {"Repr-Digest", "sha-256=:" + base64_of_hex(file.sha256) + ':'},
             {"Content-Type", file.type},
             {"Content-Disposition", attachment(file.name)}}) {
        answer.headers.emplace_back(name, value);
    }
    answer.region = Region{std::move(file.file), selection.offset, selection.bytes};
    return answer;
}

}  // namespace kaname::http
