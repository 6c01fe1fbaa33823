// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/serve.hpp"

#include <algorithm>
#include <cstring>
#include <iostream>

#include <unistd.h>

#include "proto/report/report.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/compute/forecast.hpp"
#include "worker/compute/reports.hpp"
#include "worker/compute/solve_log.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

// Ranks that wait for a command look for it this often; between, none of them uses its core.
constexpr std::chrono::milliseconds kIdleTick{20};

/// Rank 0's text on every rank.
std::string broadcast(comm::Comm& comm, const std::string& text) {
    comm::Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    comm.broadcast(bytes, 0);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void CommandQueue::push_line(const std::string& line) {
    v1::SolveCommand command;
    try {
        command =
            report::parse<v1::SolveCommand>(line, "no command: '" + line.substr(0, 200) + "'");
        if (command.cmd() != "pack" && command.cmd() != "cancel") {
            command.set_fault("cmd must be pack or cancel, got '" + command.cmd() + "'");
        }
    } catch (const report::BrokenReport& error) {
        command.set_fault(error.what());
    }
    const std::lock_guard lock(mutex_);
    if (command.fault().empty() && command.cmd() == "cancel") {
        cancelled_.insert(command.id());
        return;
    }
    packs_.push_back(std::move(command));
    arrived_.notify_one();
}

std::optional<v1::SolveCommand> CommandQueue::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [&] { return !packs_.empty(); })) {
        return std::nullopt;
    }
    v1::SolveCommand command = std::move(packs_.front());
    packs_.pop_front();
    return command;
}

bool CommandQueue::cancelled(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return cancelled_.contains(id);
}

void read_commands(CommandQueue& queue) {
    std::thread([&queue] {
        for (std::string line; std::getline(std::cin, line);) {
            queue.push_line(line);
        }
        ::_exit(run::kExitInterrupted);
    }).detach();
}

void serve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
           comm::Comm& comm, CommandQueue& queue, SpeedBook& book, Reporter& reporter,
           const std::function<bool()>& go_on) {
    const bool first = comm.rank() == 0;
    if (first) {
        reporter.progress("solve", 0.0, "setting up");
    }
    const auto session = stages.open(job, paths.mesh, paths.work, comm);
    if (first) {
        reporter.result("ready", report_of(*session));
    }
    const std::vector<std::string> facts =
        solve_facts(job, *session, comm.size(), device::max_threads());
    // GPUs have a speed of their own, which is not estimated.
    const auto note = [&](jobs::StageCost jobs::JobCosts::*stage, double seconds) {
        if (first && session->device() == "cpu") {
            note_time(stages, job, {.dof = session->dof(), .effort = session->effort()},
                      comm.size() * device::max_threads(), stage, seconds, book);
        }
    };
    note(&jobs::JobCosts::setup, session->setup_s());
    SolveLog log(reporter);
    while (go_on()) {
        std::string text;
        if (first) {
            if (const auto command = queue.next(kIdleTick)) {
                text = report::to_json(*command);
            }
        }
        text = broadcast(comm, text);
        if (text.empty()) {
            if (!first) {
                std::this_thread::sleep_for(kIdleTick);
            }
            continue;
        }
        const auto command = report::parse<v1::SolveCommand>(text, "command");
        const std::vector<std::string> ids(command.sources().begin(), command.sources().end());
        const auto refuse = [&](const std::string& why) {
            if (first) {
                reporter.failure(
                    {ErrorCode::InvalidArgument, "pack " + command.id() + ": " + why, {}});
            }
        };
        if (!command.fault().empty()) {
            refuse(command.fault());
            continue;
        }
        if (first) {
            reporter.restart();
            log.begin(ids, facts);
        }
        bool whole = true;
        try {
            const jobs::PackOutcome outcome =
                session->solve(ids, [&](const jobs::SolveProgress& progress) {
                    whole = whole && progress.resumed_step <= 0;
                    report_solve(progress, reporter);
                    log.step(progress);
                    return !queue.cancelled(command.id());
                });
            const double peak_bytes = comm.sum(jobs::peak_bytes());
            if (first) {
                log.end(outcome, peak_bytes, comm.size());
                if (whole && !outcome.cancelled) {
                    note(&jobs::JobCosts::pack, outcome.solve_s);
                }
                reporter.result("pack", report_of(command.id(), outcome));
            }
        } catch (const Error& error) {
            // Bad ids are the same on all ranks and nothing was begun; what else fails ends the
            // session, whose state is then unknown.
            if (error.code() != ErrorCode::InvalidArgument) {
                throw;
            }
            refuse(error.what());
        }
    }
}

}  // namespace kaname::compute
