// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "worker/run/process_id.hpp"

namespace kaname::launcher {

/// Starts worker agents somewhere. Agents outlive a crash of the server and find it again when it
/// is back; whether one is alive is told by its heartbeats, not from here.
class Launcher {
public:
    virtual ~Launcher() = default;

    /// Starts one agent. Throws Unavailable when it cannot.
    virtual void start() = 0;
    /// Agents that were started and have not ended, as far as known: those that have not
    /// registered yet count too.
    [[nodiscard]] virtual int alive() = 0;
    /// Counts the agents of alive() that have not begun, because a batch system lets them wait.
    [[nodiscard]] virtual int waiting() { return 0; }
    /// Takes back up to `n` waiting agents; one that begins meanwhile leaves when it is idle.
    virtual void withdraw([[maybe_unused]] int n) {}
    /// Asks all to give back what they hold and to leave; ends those that have not after `grace`.
    virtual void stop_all(std::chrono::seconds grace) = 0;
};

struct LocalLauncherOptions {
    std::filesystem::path program;  ///< kaname-agent
    std::string server;             ///< "127.0.0.1:PORT"
    /// Writes a token of the agent with this name to a file that nobody else reads; it is given
    /// back when the agent has gone. Both may throw Unavailable.
    std::function<void(const std::string& name, const std::filesystem::path& file)> give_token;
    std::function<void(const std::filesystem::path& file)> take_token;
    std::filesystem::path folder;     ///< <state>/agents
    int ranks = 1, threads = 1;       ///< threads of each rank
    std::string device = "auto";      ///< device that solves use: auto, cpu, cuda
    double idle_exit_s = 300;         ///< an agent without work for so long leaves
    std::string log_format = "text";  ///< of their logs: text or json
};

/// Agents on this machine, named local-1, local-2 ...: a name is used again when its agent has
/// ended, and with it the files that this one fetched. <folder>/<name>.pid tells which process an
/// agent is, so that a restarted server knows the agents of the one before it; beside it are its
/// work folder <name>/, <name>.token, which ends with it, and <name>.log. Nothing is kept in
/// memory. Safe from any thread.
class LocalLauncher final : public Launcher {
public:
    /// Throws Unavailable when the folder cannot be made.
    explicit LocalLauncher(LocalLauncherOptions options);

    /// Throws Unavailable, or NotFound when the program does not exist.
    void start() override;
    [[nodiscard]] int alive() override;
    void stop_all(std::chrono::seconds grace) override;

    /// The agents of a folder, whoever started them: for the program that stops what a dead server
    /// left.
    [[nodiscard]] static std::vector<run::ProcessId> running_in(
        const std::filesystem::path& folder);
    static void stop_all_in(const std::filesystem::path& folder, std::chrono::seconds grace);

private:
    /// Takes back the tokens of agents that have gone; those that cannot be are left for later.
    void take_tokens();

    LocalLauncherOptions options_;
    std::mutex mutex_;
};

}  // namespace kaname::launcher
