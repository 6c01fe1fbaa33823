// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace kaname::support {

/// Stands between a client and a PostgreSQL socket, until it stops forwarding without a word.
class StallingProxy {
public:
    /// `folder` of the server's socket. Throws std::runtime_error when no socket can be made.
    explicit StallingProxy(const std::filesystem::path& folder);
    ~StallingProxy();
    StallingProxy(const StallingProxy&) = delete;
    StallingProxy& operator=(const StallingProxy&) = delete;

    /// Returns the folder that takes the place of the server's folder in a conninfo.
    [[nodiscard]] const std::string& folder() const { return folder_; }
    void stall(bool stalled) { stalled_ = stalled; }

private:
    void serve();
    void forward(int from, int to);

    std::string folder_, server_;
    int listener_ = -1;
    std::vector<std::pair<int, int>> links_;  ///< client and server of each connection
    std::atomic<bool> stalled_{false}, end_{false};
    std::thread thread_;
};

}  // namespace kaname::support
