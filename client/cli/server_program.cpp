// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/server_program.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "client/cli/interrupt.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"

namespace kaname::cli {
namespace {

constexpr std::size_t kTime = 21;  // "2026-01-31T23:59:59Z "
/// To give up a backup and remove what there is of it.
constexpr std::chrono::milliseconds kGrace{10000};

}  // namespace

std::filesystem::path server_program() {
    std::filesystem::path program = run::beside_this_program("kaname-server");
    if (!std::filesystem::exists(program)) {
        throw Error(ErrorCode::NotFound, "program " + program.string() +
                                             ": not found; kaname-server must lie in the folder "
                                             "of kaname");
    }
    return program;
}

ServerRun run_server(const std::vector<std::string>& arguments, const std::vector<int>& good,
                     const Context& context) {
    run::SpawnOptions how;
    how.argv = {server_program().string()};
    how.argv.insert(how.argv.end(), arguments.begin(), arguments.end());
    how.death_signal = SIGTERM;
    how.env["KANAME_LOG_FORMAT"] = std::nullopt;
    run::Process server(how);
    ServerRun told;
    std::string last;  // of its log, with the lines that belong to it
    while (server.read_lines(kServerPoll, [&](run::Source source, std::string_view line) {
        if (source == run::Source::Stderr) {
            const bool begins = line.size() > kTime && line[kTime - 2] == 'Z';
            last = begins ? std::string(line.substr(kTime)) : last + '\n' + std::string(line);
            return;
        }
        told.lines.emplace_back(line);
        if (!context.json) {
            std::cout << line << std::endl;
        }
    })) {
        try {
            throw_if_interrupted();
        } catch (...) {
            server.terminate(kGrace);
            throw;
        }
    }
    const run::ExitStatus status = server.wait();
    if (status.signal != 0 || std::ranges::count(good, status.code) == 0) {
        throw Error(run::error_of_exit(status.code),
                    last.empty() ? "kaname-server ended with " + status.text() : last);
    }
    told.exit_code = status.code;
    return told;
}

}  // namespace kaname::cli
