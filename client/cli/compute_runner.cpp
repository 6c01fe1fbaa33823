// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/compute_runner.hpp"

#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>

#include <unistd.h>

#include "client/cli/interrupt.hpp"
#include "worker/channel/exit_code.hpp"
#include "worker/process/process.hpp"

namespace kaname::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{200};
constexpr std::chrono::milliseconds kGrace{5000};
constexpr std::size_t kTailLines = 20;

process::SpawnOptions plan(const std::filesystem::path& program, const VerbCall& call) {
    process::SpawnOptions options;
    if (call.ranks > 1) {
        // Two runs on one host would both be pinned to core 0, and ranks may outnumber cores.
        options.argv = {"mpirun",          "--bind-to", "none",
                        "--oversubscribe", "-n",        std::to_string(call.ranks)};
        options.env["OMPI_MCA_mpi_yield_when_idle"] = "1";
        if (::geteuid() == 0) {
            options.env["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
            options.env["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
        }
        options.death_signal = SIGTERM;
    }
    // Threads that spin at barriers for long starve each other when the cores are shared: one solve
    // took forty times longer beside a compiler. Some ten microseconds are enough between kernels.
    if (std::getenv("GOMP_SPINCOUNT") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) {
        options.env["GOMP_SPINCOUNT"] = "10000";
    }
    options.argv.push_back(program.string());
    options.argv.insert(options.argv.end(), call.arguments.begin(), call.arguments.end());
    return options;
}

/// What a verb has said so far.
struct Heard {
    std::optional<channel::Result> result;
    std::optional<channel::Failure> failure;
    std::deque<std::string> tail;  ///< last lines that are no events
    std::ofstream log;

    void keep(const std::string& line) {
        tail.push_back(line);
        if (tail.size() > kTailLines) {
            tail.pop_front();
        }
        if (log.is_open()) {
            log << line << std::endl;
        }
    }
};

[[noreturn]] void rethrow(const channel::Failure& failure) {
    if (!failure.violations.empty()) {
        throw ValidationError(failure.violations);
    }
    throw Error(failure.code, failure.message);
}

[[noreturn]] void throw_wordless(const std::string& verb, const process::ExitStatus& status,
                                 const Heard& heard) {
    std::string message =
        "kaname-compute " + verb + " ended with " + status.text() + " and without a result";
    for (const std::string& line : heard.tail) {
        message += "\n  | " + line;
    }
    throw Error(status.signal != 0 ? ErrorCode::Internal : channel::error_of_exit(status.code),
                message);
}

}  // namespace

VerbOutcome ComputeRunner::run(const VerbCall& call) const {
    if (::access(program_.c_str(), X_OK) != 0) {
        throw Error(ErrorCode::NotFound,
                    "program " + program_.string() +
                        ": not found; kaname-compute must lie in the folder of kaname");
    }
    throw_if_interrupted();
    Heard heard;
    if (!call.log.empty()) {
        heard.log.open(call.log, std::ios::app);
    }
    const auto on_line = [&](process::Source source, std::string_view line) {
        channel::Event event = source == process::Source::Stdout
                                   ? channel::parse_line(line)
                                   : channel::Event(channel::Log{std::string(line)});
        if (auto* progress = std::get_if<channel::Progress>(&event)) {
            if (call.on_progress) {
                call.on_progress(*progress);
            }
        } else if (auto* result = std::get_if<channel::Result>(&event)) {
            heard.result = std::move(*result);
        } else if (auto* failure = std::get_if<channel::Failure>(&event)) {
            heard.failure = std::move(*failure);
        } else {
            heard.keep(std::get<channel::Log>(event).line);
        }
    };
    process::Process child(plan(program_, call));
    while (child.read_lines(kPoll, on_line)) {
        if (interrupted()) {
            child.terminate(kGrace);
            throw Interrupted();
        }
    }
    const process::ExitStatus status = child.wait();
    throw_if_interrupted();
    if (heard.failure) {
        rethrow(*heard.failure);
    }
    const bool done = status.signal == 0 &&
                      (status.code == channel::kExitOk || status.code == channel::kExitSomeFailed);
    if (!heard.result || !done) {
        throw_wordless(call.arguments.front(), status, heard);
    }
    return {status.code, heard.result->json};
}

std::filesystem::path compute_beside_this_program() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kaname-compute";
}

}  // namespace kaname::cli
