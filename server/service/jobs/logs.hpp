// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "solvers/base/files.hpp"

namespace kaname::service {

/// Keeps the output of stages: one file per content key for all its attempts, each of which is cut
/// at a cap. Each attempt begins with a line that names its worker.
class Logs {
public:
    static constexpr std::uint64_t kCapBytes = 4U << 20U;

    explicit Logs(std::filesystem::path folder);

    /// An attempt begins: it may write up to the cap, whatever those before it wrote.
    void begin(const std::string& content_key);
    /// Nothing without a key: of a task that is nobody's.
    void append(const std::string& content_key, std::string_view text);
    /// At most `limit` bytes of a log from `offset`; empty at its end or when there is none.
    [[nodiscard]] std::string read(const std::string& content_key, std::uint64_t offset,
                                   std::size_t limit) const;

private:
    std::filesystem::path folder_;
    std::mutex mutex_;
    std::map<std::string, std::uint64_t> begun_at_;  ///< sizes at which attempts began
};

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
