// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/http/message.hpp"

namespace kaname::http {

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
