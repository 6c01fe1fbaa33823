// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {

/// Files by their SHA-256 in one folder: what the server handed out and what was made here. The
/// least recently used go when there are too many bytes. For any number of threads.
class InputCache {
public:
    InputCache(std::filesystem::path folder, std::uint64_t cap_bytes, WorkersClient& client);

    /// Path of the file, fetched when it is not here. It stays while the task runs that asked.
    /// Throws as WorkersClient, DataLoss when the server's bytes have another hash.
    [[nodiscard]] std::filesystem::path get(const std::string& sha256);
    /// Moves a finished file in; returns what it is called now.
    [[nodiscard]] StoredFile adopt(const std::filesystem::path& file);
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::filesystem::path path_of(const std::string& sha256) const {
        return folder_ / sha256;
    }
    /// Removes files until the cap is kept; called between tasks.
    void trim();

private:
    std::filesystem::path folder_;
    std::uint64_t cap_bytes_;
    WorkersClient& client_;
    std::mutex mutex_;
};

}  // namespace kaname::agent
