// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/slurm/slurm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <string_view>

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "worker/run/process.hpp"

namespace kaname::launcher {
namespace {

constexpr std::array<std::string_view, 6> kWaiting = {
    "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT"};
constexpr std::array<std::string_view, 7> kRunning = {
    "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING"};
constexpr std::array<std::string_view, 10> kEnded = {
    "COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",       "NODE_FAIL",
    "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"};
/// Lists parts of sbatch's messages after which it is unknown whether the controller took the job.
constexpr std::array<std::string_view, 6> kUnclear = {
    "timed out", "Socket", "Unable to contact", "Zero Bytes", "onnection", "Unexpected message"};
constexpr std::string_view kQueueFields = "%A|%j|%T|%r";
/// squeue prints this header above an answer. It does not print it after a failure, whatever its
/// exit code is.
constexpr std::string_view kQueueHeader = "JOBID|NAME|STATE|REASON";

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = line.find('|', begin);
        fields.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
        if (end == std::string::npos) {
            return fields;
        }
        begin = end + 1;
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

bool is_number(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \n") + 1);
    return text;
}

/// "3:0" of sacct: exit code and signal.
std::optional<int> exit_code_of(const std::string& text) {
    int code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
    return error == std::errc() ? std::optional(code) : std::nullopt;
}

}  // namespace

JobPhase phase_of(const std::string& state) {
    const std::string word = state.substr(0, state.find_first_of(" +"));
    const auto in = [&](const auto& words) {
        return std::ranges::find(words, word) != words.end();
    };
    return in(kWaiting)   ? JobPhase::Waiting
           : in(kRunning) ? JobPhase::Running
           : in(kEnded)   ? JobPhase::Ended
                          : JobPhase::Other;
}

Submitted Slurm::submit(const std::vector<std::string>& options, const std::string& name,
                        const std::string& script) const {
    std::vector<std::string> argv = {"sbatch", "--parsable", "--job-name=" + name};
    argv.insert(argv.end(), options.begin(), options.end());
    const CommandOutcome outcome = run_command(argv, script, command_s_);
    if (!outcome.found) {
        return {Submitted::Answer::Refused, "", outcome.trouble("sbatch"), true};
    }
    if (outcome.ok()) {
        // "17", or "17;cluster"
        const std::string id = trimmed(outcome.out).substr(0, outcome.out.find_first_of(";\n"));
        return is_number(id)
                   ? Submitted{Submitted::Answer::Taken, id, ""}
                   : Submitted{Submitted::Answer::Unclear, "",
                               "sbatch: answers without a job's number: " + trimmed(outcome.out)};
    }
    const bool said_why = outcome.err.find("sbatch: ") != std::string::npos;
    const bool unclear = outcome.timed_out || !said_why ||
                         std::ranges::any_of(kUnclear, [&](std::string_view words) {
                             return outcome.err.find(words) != std::string::npos;
                         });
    return {unclear ? Submitted::Answer::Unclear : Submitted::Answer::Refused, "",
            outcome.trouble("sbatch")};
}

std::string Slurm::test(const std::vector<std::string>& options, const std::string& script) const {
    std::vector<std::string> argv = {"sbatch", "--test-only", "--job-name=kaname-doctor"};
    argv.insert(argv.end(), options.begin(), options.end());
    const CommandOutcome outcome = run_command(argv, script, command_s_);
    return outcome.ok() ? "" : outcome.trouble("sbatch --test-only");
}

std::optional<std::vector<SlurmJob>> Slurm::queue(std::string& trouble) const {
    const CommandOutcome outcome =
        run_command({"squeue", "--me", "--states=all", "--format=" + std::string(kQueueFields)}, "",
                    command_s_);
    if (!outcome.ok()) {
        trouble = outcome.trouble("squeue");
        return std::nullopt;
    }
    const std::vector<std::string> lines = lines_of(outcome.out);
    if (lines.empty() || trimmed(lines.front()) != kQueueHeader) {
        trouble = "squeue: an answer without its first line" +
                  (outcome.err.empty() ? "" : ": " + trimmed(outcome.err));
        return std::nullopt;
    }
    trouble.clear();
    std::vector<SlurmJob> jobs;
    for (std::size_t n = 1; n < lines.size(); ++n) {
        const std::vector<std::string> fields = fields_of(trimmed(lines[n]));
        if (fields.size() == 4 && is_number(fields[0])) {
            jobs.push_back({fields[0], fields[1], fields[2], phase_of(fields[2]),
                            fields[3] == "None" ? "" : fields[3]});
        }
    }
    return jobs;
}

std::optional<std::vector<SlurmJob>> Slurm::history(const std::vector<std::string>& names,
                                                    double since_s) const {
    std::string all;
    for (const std::string& name : names) {
        all += (all.empty() ? "" : ",") + name;
    }
    const auto when = static_cast<std::time_t>(since_s);
    std::tm local{};
    ::localtime_r(&when, &local);
    char since[32];
    std::strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%S", &local);
    const CommandOutcome outcome = run_command(
        {"sacct", "--noheader", "--parsable2", "--allocations", "--name=" + all,
         "--starttime=" + std::string(since), "--format=JobIDRaw,JobName,State,ExitCode"},
        "", command_s_);
    if (!outcome.ok()) {
        return std::nullopt;
    }
    std::vector<SlurmJob> jobs;
    for (const std::string& line : lines_of(outcome.out)) {
        const std::vector<std::string> fields = fields_of(trimmed(line));
        if (fields.size() == 4 && is_number(fields[0])) {
            jobs.push_back({fields[0], fields[1], fields[2], phase_of(fields[2]), "",
                            exit_code_of(fields[3])});
        }
    }
    return jobs;
}

void Slurm::cancel(const std::string& name, Cancel how) const {
    std::vector<std::string> argv = {"scancel", "--me", "--name=" + name};
    if (how == Cancel::Waiting) {
        argv.emplace_back("--state=PENDING");
    } else if (how == Cancel::Gently) {
        argv.insert(argv.end(), {"--batch", "--signal=TERM"});
    }
    (void)run_command(argv, "", command_s_);  // what is still there is seen at the next look
}

void Slurm::cancel_copy(const std::string& name, const std::string& id) const {
    (void)run_command({"scancel", "--me", "--name=" + name, id}, "", command_s_);
}

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
