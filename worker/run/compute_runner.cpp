// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/compute_runner.hpp"

#include <csignal>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/machine.hpp"
#include "worker/run/confinement.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::run {
namespace {

constexpr std::chrono::milliseconds kVerbPoll{200};
constexpr std::size_t kVerbTailLines = 20, kVerbTailBytes = 1000;  // of each

/// Heard holds the output of a verb so far.
struct Heard {
    std::optional<run::Result> result;
    std::optional<run::Failure> failure;
    std::deque<std::string> tail;  ///< last lines that are no events
    std::ofstream log;

    void keep(const std::string& line) {
        tail.push_back(line.substr(0, kVerbTailBytes));
        if (tail.size() > kVerbTailLines) {
            tail.pop_front();
        }
        if (log.is_open()) {
            log << line << std::endl;
        }
    }
};

[[noreturn]] void throw_wordless(const VerbCall& call, const run::ExitStatus& status,
                                 const Heard& heard) {
    std::string message = "kaname-compute " + call.arguments.front() + " ended with " +
                          status.text() + " and without a result";
    for (const std::string& line : heard.tail) {
        message += "\n  | " + line;
    }
    throw Error(status.signal == SIGKILL ? call.killed
                : status.signal != 0     ? ErrorCode::Internal
                                         : run::error_of_exit(status.code),
                message);
}

}  // namespace

run::SpawnOptions compute_command(const std::filesystem::path& program,
                                  const std::vector<std::string>& arguments, Ranks ranks,
                                  const ResourceLimits& limits, const std::string& traceparent) {
    run::SpawnOptions options;
    options.limits = limits;
    if (!traceparent.empty()) {
        options.env[kTraceparentVariable] = traceparent;
    }
    if (ranks.n > 1 && ranks.by == RankStarter::Srun) {
        // Commands are rank 0's alone; a job that was submitted without its submitter's environment
        // would start its ranks without this one, too.
        options.argv = {"srun",
                        "--export=ALL",
                        "--input=0",
                        "--unbuffered",
                        "--kill-on-bad-exit=1",
                        "--cpu-bind=none",
                        "--ntasks=" + std::to_string(ranks.n)};
        options.death_signal = SIGTERM;
    } else if (ranks.n > 1) {
        // Two runs on one host would both be pinned to core 0, and ranks may outnumber cores.
        options.argv = {"mpirun",          "--bind-to", "none",
                        "--oversubscribe", "-n",        std::to_string(ranks.n)};
        if (!traceparent.empty()) {  // other nodes' ranks get what is named alone
            options.argv.insert(options.argv.end(), {"-x", kTraceparentVariable});
        }
        options.env["OMPI_MCA_mpi_yield_when_idle"] = "1";
        if (::geteuid() == 0) {
            options.env["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
            options.env["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
        }
        options.death_signal = SIGTERM;
    }
    // Threads that spin at barriers keep the cores from each other and from neighbours: one solve
    // took forty times longer beside a compiler. Some microseconds are enough between kernels;
    // where others wait for the cores even these are theirs (docs/performance.md).
    if (std::getenv("GOMP_SPINCOUNT") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) {
        if (has_busy_neighbours(this_machine().cores)) {
            options.env["OMP_WAIT_POLICY"] = "passive";
        } else {
            options.env["GOMP_SPINCOUNT"] = "1000";
        }
    }
    if (ranks.n > 1 && limits.confinement) {
        const std::vector<std::string> confined =
            confined_rank(beside_this_program("kaname-agent"), *limits.confinement);
        options.argv.insert(options.argv.end(), confined.begin(), confined.end());
        options.limits.confinement.reset();
    }
    options.argv.push_back(program.string());
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    return options;
}

void rethrow(const run::Failure& failure) {
    if (!failure.violations.empty()) {
        throw ValidationError(failure.violations);
    }
    if (failure.device_fault) {
        throw DeviceError(*failure.device_fault, failure.message);
    }
    throw Error(failure.code, failure.message);
}

VerbOutcome ComputeRunner::run(const VerbCall& call) const {
    if (::access(program_.c_str(), X_OK) != 0) {
        throw Error(ErrorCode::NotFound,
                    "program " + program_.string() +
                        ": not found; kaname-compute must lie in the folder of kaname");
    }
    if (check_) {
        check_();
    }
    Heard heard;
    if (!call.log.empty()) {
        heard.log.open(call.log, std::ios::app);
    }
    const auto on_line = [&](run::Source source, std::string_view line) {
        run::Event event = source == run::Source::Stdout ? run::parse_line(line)
                                                         : run::Event(run::Log{std::string(line)});
        if (auto* progress = std::get_if<run::Progress>(&event)) {
            if (call.on_progress) {
                call.on_progress(*progress);
            }
        } else if (auto* result = std::get_if<run::Result>(&event)) {
            heard.result = std::move(*result);
        } else if (auto* failure = std::get_if<run::Failure>(&event)) {
            heard.failure = std::move(*failure);
        } else if (const auto* log = std::get_if<run::Log>(&event)) {
            heard.keep(log->line);
            if (call.on_log) {
                call.on_log(log->line);
            }
        }
    };
    run::SpawnOptions options =
        compute_command(program_, call.arguments, call.ranks, call.limits, call.traceparent);
    options.env.insert(call.env.begin(), call.env.end());
    run::Process child(std::move(options));
    while (child.read_lines(kVerbPoll, on_line)) {
        try {
            if (check_) {
                check_();
            }
        } catch (...) {
            child.terminate(call.grace);
            throw;
        }
    }
    const run::ExitStatus status = child.wait();
    if (check_) {
        check_();
    }
    if (heard.failure) {
        rethrow(*heard.failure);
    }
    const bool done =
        status.signal == 0 && (status.code == run::kExitOk || status.code == run::kExitSomeFailed);
    if (!heard.result || !done) {
        throw_wordless(call, status, heard);
    }
    return {status.code, heard.result->json};
}

std::filesystem::path beside_this_program(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

namespace {

constexpr std::chrono::milliseconds kSessionPoll{100};
constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::size_t kSessionTailLines = 30, kSessionTailBytes = 1000;  // of each

}  // namespace

ComputeSession::ComputeSession(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments, Ranks ranks,
                               const ResourceLimits& limits, const std::string& traceparent)
    : verb_(arguments.front()),
      child_(compute_command(program, arguments, ranks, limits, traceparent)) {}

ComputeSession::~ComputeSession() {
    child_.close_stdin();
    child_.terminate(kGrace);
}

void ComputeSession::send(const std::string& command) {
    (void)child_.write_stdin(command + "\n");
}

void ComputeSession::throw_ended() {
    std::string message = "kaname-compute " + verb_ + " ended with " + child_.wait().text();
    for (const std::string& line : tail_) {
        message += "\n  | " + line;
    }
    throw SessionEnded(message);
}

Event ComputeSession::next(const std::function<void(const Event&)>& on_event,
                           const std::function<void()>& check) {
    const auto on_line = [&](Source source, std::string_view line) {
        Event event = source == Source::Stdout ? parse_line(line) : Event(Log{std::string(line)});
        if (std::holds_alternative<Result>(event) || std::holds_alternative<Failure>(event)) {
            answers_.push_back(std::move(event));
            return;
        }
        if (const auto* log = std::get_if<Log>(&event)) {
            tail_.push_back(log->line.substr(0, kSessionTailBytes));
            if (tail_.size() > kSessionTailLines) {
                tail_.pop_front();
            }
        }
        on_event(event);
    };
    while (answers_.empty()) {
        const bool open = child_.read_lines(kSessionPoll, on_line);
        if (!answers_.empty()) {
            break;
        }
        if (!open) {
            throw_ended();
        }
        check();
    }
    Event answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
}

bool has_busy_neighbours(int cores, const std::filesystem::path& proc) {
    constexpr double kBusy_percent = 10.0;
    const std::string head = "some avg10=";
    const std::string pressure = read_file_if_any(proc / "pressure/cpu");
    if (const std::size_t at = pressure.find(head); at != std::string::npos) {
        return std::strtod(pressure.c_str() + at + head.size(), nullptr) > kBusy_percent;
    }
    return std::strtod(read_file_if_any(proc / "loadavg").c_str(), nullptr) > cores;
}

}  // namespace kaname::run
