// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "solvers/base/fd.hpp"

namespace kaname::service {

/// Bytes that come in pieces and are read when the last one is there. More than kInMemory of them
/// wait on the disk, in a file that has no name and goes with this.
class Spool {
public:
    static constexpr std::size_t kInMemory = 256U << 10U;

    explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Throws Exhausted when the disk does not take them.
    void append(std::string_view piece);
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// The next `n` bytes, from the first one on. Throws Internal when there are fewer.
    [[nodiscard]] std::string next(std::size_t n);
    /// The first byte is the next one again.
    void rewind() { read_ = 0; }

private:
    void write(std::string_view piece);

    const std::filesystem::path folder_;
    std::string memory_;
    Fd file_;
    std::uint64_t bytes_ = 0, read_ = 0;
};

}  // namespace kaname::service
