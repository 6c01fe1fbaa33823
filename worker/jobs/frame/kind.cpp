// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/kind.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <thread>

#include <unistd.h>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
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

namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

void check_option(const Verb& verb, const std::string& name, Use use, bool given) {
    if (use == Use::Must && !given) {
        refuse(verb.name + " needs " + name);
    }
    if (use == Use::No && given) {
        refuse(verb.name + " takes no " + name);
    }
}

}  // namespace

const Verb& find_verb(std::span<const Kind* const> kinds, const std::string& schema,
                      const std::string& verb) {
    std::vector<std::string> known;
    for (const Kind* kind : kinds) {
        if (std::ranges::find(kind->schemas, schema) == kind->schemas.end()) {
            known.insert(known.end(), kind->schemas.begin(), kind->schemas.end());
            continue;
        }
        const auto found = std::ranges::find(kind->verbs, verb, &Verb::name);
        if (found != kind->verbs.end()) {
            return *found;
        }
        std::vector<std::string> verbs;
        for (const Verb& other : kind->verbs) {
            verbs.push_back(other.name);
        }
        refuse(schema + " has no verb '" + verb + "'; it has " + joined(verbs));
    }
    refuse("schema: '" + schema + "' is not known; known are " + joined(known));
}

void check_call(const Call& call, const Verb& verb) {
    if ((call.serve ? verb.serve : verb.once) == nullptr) {
        refuse(verb.name + (call.serve ? " takes no --serve" : " needs --serve"));
    }
    check_option(verb, "--out", call.serve ? Use::No : verb.out, !call.out.empty());
    check_option(verb, "--work", call.serve ? Use::Must : verb.work, !call.work.empty());
    check_option(verb, "--only", call.serve ? Use::No : verb.only, call.only);
    for (const std::string& label : verb.inputs) {
        (void)input(call, label);
    }
    for (const auto& [label, path] : call.inputs) {
        if (!verb.more_inputs && std::ranges::find(verb.inputs, label) == verb.inputs.end()) {
            refuse(verb.name + " knows no input '" + label + "'" +
                   (verb.inputs.empty() ? "" : "; it takes " + joined(verb.inputs)));
        }
    }
}

void check_work(const Call& call) {
    if (!call.work.empty() && !std::filesystem::is_directory(call.work)) {
        refuse("--work: '" + call.work + "' must be a folder that exists");
    }
}

const std::string& input(const Call& call, const std::string& label) {
    const auto found = call.inputs.find(label);
    if (found == call.inputs.end()) {
        refuse(call.verb + " needs the input '" + label + "'");
    }
    return found->second;
}

}  // namespace kaname::compute
