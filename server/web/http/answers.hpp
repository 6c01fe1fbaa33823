// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <exception>
#include <optional>
#include <source_location>
#include <string>

#include "server/web/http/message.hpp"
#include "solvers/base/error.hpp"

namespace kaname::http {

/// Refuses what somebody may ask again after some seconds, as the answer's Retry-After says.
class RetryLater : public Error {
public:
    RetryLater(const std::string& message, int after_s,
               std::source_location where = std::source_location::current())
        : Error(ErrorCode::Exhausted, message, where), after_s_(after_s) {}
    [[nodiscard]] int after_s() const noexcept { return after_s_; }

private:
    int after_s_;
};

/// An error as an answer, with the status that belongs to its code unless `status` says another.
/// Whoever takes JSON (Accept) or posts gets google.rpc.Status in protobuf's JSON, the same that
/// gRPC's callers get: code, message, and details with the reason and each field that is wrong;
/// others get the message as text.
[[nodiscard]] Answer error_answer(const Request& request, const std::exception& error,
                                  std::optional<int> status = std::nullopt);

/// A file that does not change under its hash.
struct StoredFile {
    Fd file;
    std::uint64_t bytes = 0;
    std::string sha256, name, type;
    /// Is true if the same address may have another file later.
    bool may_change = false;
};

/// The file, or what of it the request's Range and conditions ask for: 200, 206, 304, 412, 416, by
/// the precedence of RFC 9110, 13.2.2. Its tag is its hash. HEAD gets the headers of the whole.
[[nodiscard]] Answer file_answer(const Request& request, StoredFile file);

}  // namespace kaname::http
