// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace kaname::space {

/// How much of a file system must stay free: bytes, or a part of it.
struct Watermark {
    /// 2 % of the file system and 1 GiB at least, but of small ones a tenth.
    bool automatic = true;
    double percent = 0;
    std::uint64_t bytes = 0;  ///< where percent is 0
};

/// "auto", "5%", "800MB", "20GiB"; throws InvalidArgument naming `option` on anything else.
[[nodiscard]] Watermark parse_watermark(const std::string& option, const std::string& text);
/// With less free nothing new begins on a file system of `total` bytes ...
[[nodiscard]] std::uint64_t low_bytes(const Watermark& mark, std::uint64_t total);
/// ... until this much is free again: work does not stop and go with every file.
[[nodiscard]] std::uint64_t high_bytes(const Watermark& mark, std::uint64_t total);

}  // namespace kaname::space
