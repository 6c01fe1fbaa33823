// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kaname::service {

/// Bytes of one message of a reply; gRPC's clients take 4 MiB.
inline constexpr std::size_t kMaxReplyBytes = 2U << 20U;

/// Calls send(begin, end) with ranges of `texts` that fit one message each, in order and at least
/// once. False as soon as `send` returns it.
template <class Send>
bool send_in_pieces(const std::vector<std::string>& texts, const Send& send) {
    auto begin = texts.begin();
    do {
        auto end = begin;
        for (std::size_t bytes = 0; end != texts.end() && bytes < kMaxReplyBytes; ++end) {
            bytes += end->size() + 8;  // tag and length
        }
        if (!send(begin, end)) {
            return false;
        }
        begin = end;
    } while (begin != texts.end());
    return true;
}

}  // namespace kaname::service
