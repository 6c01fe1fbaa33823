// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kaname::service {

/// Bytes of one message of a reply, but for the last entry of a list, which goes over it.
inline constexpr std::size_t kMaxReplyBytes = (1U << 20U) - (64U << 10U);

using Texts = std::vector<std::string>::const_iterator;

/// Ranges of `texts` that fit one message each, in order and at least one.
inline std::vector<std::pair<Texts, Texts>> pieces_of(const std::vector<std::string>& texts) {
    std::vector<std::pair<Texts, Texts>> pieces;
    auto begin = texts.begin();
    do {
        auto end = begin;
        for (std::size_t bytes = 0; end != texts.end() && bytes < kMaxReplyBytes; ++end) {
            bytes += end->size() + 8;  // tag and length
        }
        pieces.emplace_back(begin, end);
        begin = end;
    } while (begin != texts.end());
    return pieces;
}

}  // namespace kaname::service
