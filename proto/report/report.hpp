// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <google/protobuf/message.h>

#include "solvers/base/error.hpp"

/// Reports and records (proto/kaname/v1/{report,record}.proto) as text: decision 0048.
namespace kaname::report {

/// A text that is none of the message it should be; names both.
class BrokenReport : public Error {
public:
    explicit BrokenReport(const std::string& message) : Error(ErrorCode::Internal, message) {}
};

enum class Layout { Line, Indented };

/// One JSON object with the fields' names in the .proto as keys; every field is there but optional
/// ones without a value. What is not UTF-8 becomes U+FFFD, and a number that is not finite is left
/// out: fields that may lack one are optional.
[[nodiscard]] std::string to_json(const google::protobuf::Message& message,
                                  Layout layout = Layout::Line);

/// Reads what to_json() wrote, in this version or another: keys that are not known are passed over,
/// those that are missing leave their fields empty. Throws BrokenReport that begins with `what`.
void parse_into(const std::string& json, const std::string& what,
                google::protobuf::Message& message);

template <class Message>
[[nodiscard]] Message parse(const std::string& json, const std::string& what) {
    Message message;
    parse_into(json, what, message);
    return message;
}

/// A count as reports have it. Throws OutOfRange beyond 32 bits.
[[nodiscard]] std::uint32_t count(std::int64_t number);

}  // namespace kaname::report
