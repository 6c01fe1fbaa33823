// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/command_queue.hpp"

#include <cstring>
#include <iostream>
#include <thread>

#include <unistd.h>

#include "proto/report/report.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

// Ranks that wait for a command look for it this often; between, none of them uses its core. One
// alone is woken by it.
constexpr std::chrono::milliseconds kIdleTick{20}, kAlone{60000};

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

std::optional<v1::SolveCommand> next_on_all(comm::Comm& comm, CommandQueue& queue) {
    const bool first = comm.rank() == 0;
    std::string text;
    if (first) {
        if (const auto command = queue.next(comm.size() == 1 ? kAlone : kIdleTick)) {
            text = report::to_json(*command);
        }
    }
    text = broadcast(comm, text);
    if (text.empty()) {
        if (!first) {
            std::this_thread::sleep_for(kIdleTick);
        }
        return std::nullopt;
    }
    return report::parse<v1::SolveCommand>(text, "command");
}

}  // namespace kaname::compute
