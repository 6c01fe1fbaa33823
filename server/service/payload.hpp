// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::service {

/// Holds the text that a task keeps for the server that hands it out: the hash of its specification
/// and the job that it was made for. The text is "<sha256> <job> <traceparent>"; tasks older than
/// migration 020 have the hash alone.
struct Payload {
    std::string spec_sha256;
    std::string job;          ///< UUID; empty: not known
    std::string traceparent;  ///< of the job; empty: none

    [[nodiscard]] static Payload parse(const std::string& text) {
        const std::size_t first = text.find(' ');
        if (first == std::string::npos) {
            return {text, "", ""};
        }
        const std::size_t second = text.find(' ', first + 1);
        return {text.substr(0, first), text.substr(first + 1, second - first - 1),
                second == std::string::npos ? "" : text.substr(second + 1)};
    }
    [[nodiscard]] std::string to_text() const {
        return spec_sha256 + ' ' + job + ' ' + traceparent;
    }
};

}  // namespace kaname::service
