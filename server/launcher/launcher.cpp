// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/launcher.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/detached.hpp"

namespace kaname::launcher {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::uintmax_t kLongLog = 16U << 20;

bool runs(const fs::path& pid_file) {
    const auto id = run::parse_process_id(read_file_if_any(pid_file));
    return id && run::is_running(*id);
}

std::string short_number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

/// Keeps the log of an agent that is started again and again from growing without end.
void start_long_log_anew(const fs::path& log) {
    std::error_code ignored;
    if (fs::exists(log, ignored) && fs::file_size(log, ignored) > kLongLog) {
        fs::rename(log, log.string() + ".old", ignored);
    }
}

}  // namespace

LocalLauncher::LocalLauncher(LocalLauncherOptions options) : options_(std::move(options)) {
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) {
        throw Error(ErrorCode::Unavailable, options_.folder.string() + ": " + error.message());
    }
    fs::permissions(options_.folder, fs::perms::owner_all, error);
}

void LocalLauncher::start() {
    const std::lock_guard lock(mutex_);
    int number = 1;
    const auto path = [&](const std::string& ending) {
        return options_.folder / ("local-" + std::to_string(number) + ending);
    };
    while (runs(path(".pid"))) {
        ++number;
    }
    start_long_log_anew(path(".log"));
    const fs::path token = path(".token");
    options_.give_token(path("").filename().string(), token);
    std::vector<std::string> argv = {options_.program.string(),
                                     "--server",
                                     options_.server,
                                     "--token-file",
                                     token.string(),
                                     "--work",
                                     path("").string(),
                                     "--name",
                                     path("").filename().string(),
                                     "--ranks",
                                     std::to_string(options_.ranks),
                                     "--threads",
                                     std::to_string(options_.threads),
                                     "--device",
                                     options_.device,
                                     "--idle-exit-s",
                                     short_number(options_.idle_exit_s)};
    if (options_.log_format != "text") {
        argv.insert(argv.end(), {"--log-format", options_.log_format});
    }
    [[maybe_unused]] const run::ProcessId id = run::start_detached(
        {.argv = std::move(argv),
         .log = path(".log"),
         // On disk before the agent begins: a server that dies now leaves no unknown agent.
         .before_exec = [&](const run::ProcessId& agent) {
             write_file(path(".pid"), run::to_text(agent));
         }});
}

void LocalLauncher::take_tokens() {
    std::error_code none;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(options_.folder, none)) {
        if (entry.path().extension() == ".token" &&
            !runs(fs::path(entry.path()).replace_extension(".pid"))) {
            left.push_back(entry.path());
        }
    }
    for (const fs::path& file : left) {
        try {
            options_.take_token(file);
        } catch (const Error&) {
            return;  // the database is away; the file is still there at the next look
        }
    }
}

int LocalLauncher::alive() {
    const std::lock_guard lock(mutex_);
    take_tokens();
    return static_cast<int>(running_in(options_.folder).size());
}

void LocalLauncher::stop_all(std::chrono::seconds grace) {
    const std::lock_guard lock(mutex_);
    stop_all_in(options_.folder, grace);
    take_tokens();
}

std::vector<run::ProcessId> LocalLauncher::running_in(const fs::path& folder) {
    std::vector<run::ProcessId> running;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() != ".pid") {
            continue;
        }
        const auto id = run::parse_process_id(read_file_if_any(entry.path()));
        if (id && run::is_running(*id)) {
            running.push_back(*id);
        }
    }
    return running;
}

void LocalLauncher::stop_all_in(const fs::path& folder, std::chrono::seconds grace) {
    const std::vector<run::ProcessId> agents = running_in(folder);
    for (const run::ProcessId& agent : agents) {
        run::send_signal(agent, SIGTERM);
    }
    const SteadyClock::time_point deadline = SteadyClock::now() + grace;
    for (const run::ProcessId& agent : agents) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
        if (!run::wait_until_gone(agent, std::max(left, std::chrono::milliseconds(0)))) {
            run::send_signal(agent, SIGKILL);
            run::wait_until_gone(agent, std::chrono::seconds(5));
        }
    }
}

}  // namespace kaname::launcher
