// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

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

}  // namespace kaname::service
