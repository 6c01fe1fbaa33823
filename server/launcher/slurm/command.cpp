// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/slurm/command.hpp"

#include <chrono>
#include <string_view>

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "worker/run/process.hpp"

namespace kaname::launcher {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{100}, kGrace{500};
constexpr std::size_t kMostOutput = 16U << 20U;

/// SBATCH_PARTITION and its like win over what a pool says, SQUEUE_FORMAT over nothing that is
/// read here, but who knows.
bool is_option(std::string_view variable) {
    for (const std::string_view prefix : {"SBATCH_", "SQUEUE_", "SACCT_", "SCANCEL_", "SLURM_"}) {
        if (variable.starts_with(prefix) && !variable.starts_with("SLURM_CONF")) {
            return true;
        }
    }
    return false;
}

run::SpawnOptions spawn_options(const std::vector<std::string>& argv) {
    run::SpawnOptions options;
    options.argv = argv;
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const std::string name(text.substr(0, text.find('=')));
        if (is_option(name)) {
            options.env[name] = std::nullopt;
        }
    }
    options.env["LC_ALL"] = "C";
    return options;
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    const std::size_t line = text.rfind('\n');
    return line == std::string::npos ? text : text.substr(line + 1);
}

}  // namespace

std::string CommandOutcome::trouble(const std::string& program) const {
    if (!found) {
        return program + ": not found in PATH";
    }
    const std::string said = last_line(err.empty() ? out : err);
    const std::string what = timed_out         ? "did not end in time"
                             : exit_code == -1 ? "was killed"
                                               : "exit code " + std::to_string(exit_code);
    return program + ": " + what + (said.empty() ? "" : ": " + said);
}

CommandOutcome run_command(const std::vector<std::string>& argv, const std::string& input,
                           double limit_s) {
    CommandOutcome outcome;
    try {
        run::Process child(spawn_options(argv));
        (void)child.write_stdin(input);
        child.close_stdin();
        const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(limit_s));
        while (child.read_lines(kPoll, [&](run::Source source, std::string_view line) {
            std::string& text = source == run::Source::Stdout ? outcome.out : outcome.err;
            if (text.size() < kMostOutput) {
                text.append(line).push_back('\n');
            }
        })) {
            if (Clock::now() > deadline) {
                child.terminate(kGrace);
                outcome.timed_out = true;
                return outcome;
            }
        }
        const run::ExitStatus status = child.wait();
        outcome.exit_code = status.signal != 0 ? -1 : status.code;
    } catch (const Error& error) {
        outcome.found = error.code() != ErrorCode::NotFound;
        outcome.exit_code = -1;
        outcome.err = error.what();
    }
    return outcome;
}

}  // namespace kaname::launcher
