// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/serve.hpp"

#include <algorithm>
#include <cstring>
#include <iostream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "solvers/device/threads.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/channel/exit_code.hpp"
#include "worker/compute/forecast.hpp"
#include "worker/compute/solve_log.hpp"

namespace kaname::compute {
namespace {

using nlohmann::json;

// Ranks that wait for a command look for it this often; between, none of them uses its core.
constexpr std::chrono::milliseconds kIdleTick{20};

/// Rank 0's text on every rank.
std::string broadcast(comm::Comm& comm, const std::string& text) {
    comm::Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    comm.broadcast(bytes, 0);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string to_text(const PackCommand& command) {
    return json{{"id", command.id}, {"sources", command.sources}, {"fault", command.fault}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
}

PackCommand from_text(const std::string& text) {
    const json object = json::parse(text);
    return {object.at("id"), object.at("sources"), object.at("fault")};
}

std::string result_of(const std::string& id, const jobs::PackOutcome& outcome) {
    json sources = json::array();
    for (const jobs::SourceOutcome& source : outcome.sources) {
        sources.push_back({{"id", source.id},
                           {"file", source.file},
                           {"failed", source.failed},
                           {"failure", source.failure}});
    }
    return json{{"id", id},
                {"cancelled", outcome.cancelled},
                {"sources", sources},
                {"iterations", outcome.iterations},
                {"solves", outcome.solves},
                {"solve_s", outcome.solve_s}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void CommandQueue::push_line(const std::string& line) {
    PackCommand command;
    bool cancel = false;
    try {
        const json object = json::parse(line);
        const std::string verb = object.at("cmd");
        command.id = object.at("id");
        cancel = verb == "cancel";
        if (verb == "pack") {
            command.sources = object.at("sources").get<std::vector<std::string>>();
        } else if (!cancel) {
            command.fault = "cmd must be pack or cancel, got '" + verb + "'";
        }
    } catch (const json::exception& error) {
        command.fault = "no command: '" + line.substr(0, 200) + "': " + error.what();
    }
    const std::lock_guard lock(mutex_);
    if (cancel) {
        cancelled_.insert(command.id);
        return;
    }
    packs_.push_back(std::move(command));
    arrived_.notify_one();
}

std::optional<PackCommand> CommandQueue::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [&] { return !packs_.empty(); })) {
        return std::nullopt;
    }
    PackCommand command = std::move(packs_.front());
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
        ::_exit(channel::kExitInterrupted);
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
        reporter.result("ready", json{{"dof", session->dof()},
                                      {"setup_s", session->setup_s()},
                                      {"device", session->device()}}
                                     .dump());
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
                text = to_text(*command);
            }
        }
        text = broadcast(comm, text);
        if (text.empty()) {
            if (!first) {
                std::this_thread::sleep_for(kIdleTick);
            }
            continue;
        }
        const PackCommand command = from_text(text);
        const auto refuse = [&](const std::string& why) {
            if (first) {
                reporter.failure(
                    {ErrorCode::InvalidArgument, "pack " + command.id + ": " + why, {}});
            }
        };
        if (!command.fault.empty()) {
            refuse(command.fault);
            continue;
        }
        if (first) {
            reporter.restart();
            log.begin(command.sources, facts);
        }
        bool whole = true;
        try {
            const jobs::PackOutcome outcome =
                session->solve(command.sources, [&](const jobs::SolveProgress& progress) {
                    whole = whole && progress.resumed_step <= 0;
                    report_solve(progress, reporter);
                    log.step(progress);
                    return !queue.cancelled(command.id);
                });
            const double peak_bytes = comm.sum(jobs::peak_bytes());
            if (first) {
                log.end(outcome, peak_bytes, comm.size());
                if (whole && !outcome.cancelled) {
                    note(&jobs::JobCosts::pack, outcome.solve_s);
                }
                reporter.result("pack", result_of(command.id, outcome));
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
