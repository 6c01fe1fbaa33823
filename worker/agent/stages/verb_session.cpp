// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/verb_session.hpp"

#include <algorithm>
#include <optional>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"

namespace kaname::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{100};
constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::chrono::seconds kCancelGrace{10};
constexpr std::size_t kTailLines = 30;

}  // namespace

VerbSession::VerbSession(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments, int ranks,
                         std::chrono::seconds hang, const Callbacks& callbacks)
    : name_("kaname-compute " + arguments.front()),
      child_(run::compute_command(program, arguments, ranks)),
      watch_(hang) {
    try {
        const run::Event event = wait(callbacks);
        if (const auto* failure = std::get_if<run::Failure>(&event)) {
            run::rethrow(*failure);
        }
    } catch (...) {
        child_.terminate(kGrace);
        throw;
    }
}

VerbSession::~VerbSession() {
    // The end of standard input ends all ranks; terminate() sees to those that do not hear.
    child_.close_stdin();
    child_.terminate(kGrace);
}

void VerbSession::throw_ended() {
    const run::ExitStatus status = child_.wait();
    std::string message = name_ + " ended with " + status.text();
    for (const std::string& line : tail_) {
        message += "\n  | " + line;
    }
    throw Broken("crashed", message);
}

run::Event VerbSession::wait(const Callbacks& callbacks) {
    std::optional<run::Event> found;
    const auto on_line = [&](run::Source source, std::string_view line) {
        run::Event event = source == run::Source::Stdout ? run::parse_line(line)
                                                         : run::Event(run::Log{std::string(line)});
        if (const auto* log = std::get_if<run::Log>(&event)) {
            tail_.push_back(log->line);
            if (tail_.size() > kTailLines) {
                tail_.pop_front();
            }
            callbacks.on_log(log->line);
            return;
        }
        watch_.heard();
        if (const auto* progress = std::get_if<run::Progress>(&event)) {
            callbacks.on_progress(*progress);
        } else if (const auto* checkpoint = std::get_if<run::Checkpoint>(&event)) {
            callbacks.on_checkpoint(*checkpoint);
        } else {
            found = std::move(event);
        }
    };
    watch_.restart();
    while (!found) {
        const bool open = child_.read_lines(kPoll, on_line);
        if (found) {
            break;
        }
        if (!open) {
            throw_ended();
        }
        callbacks.check();
        watch_.check();
    }
    return *found;
}

std::vector<MadeItem> VerbSession::run(const std::vector<std::string>& ids,
                                       const Callbacks& callbacks) {
    const std::string id = std::to_string(++n_packs_);
    const auto command = [&](const char* cmd, const std::vector<std::string>& sources) {
        v1::SolveCommand message;
        message.set_cmd(cmd);
        message.set_id(id);
        message.mutable_sources()->Assign(sources.begin(), sources.end());
        child_.write_stdin(report::to_json(message) + "\n");
    };
    std::optional<Clock::time_point> cancelled_at;
    Callbacks watching = callbacks;
    watching.check = [&] {
        callbacks.check();
        if (!cancelled_at && callbacks.cancelled()) {
            cancelled_at = Clock::now();
            command("cancel", {});
        }
        if (cancelled_at && Clock::now() - *cancelled_at > kCancelGrace) {
            throw Broken("cancelled", "a cancelled pack did not end; the session was ended");
        }
    };
    command("pack", ids);
    const run::Event event = wait(watching);
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        run::rethrow(*failure);
    }
    const auto result = report::parse<v1::PackReport>(std::get<run::Result>(event).json, name_);
    if (result.cancelled()) {
        throw Dropped();
    }
    std::vector<MadeItem> items;
    for (const v1::PackReport::Source& source : result.sources()) {
        items.push_back({source.id(), source.file(), source.failed(), source.failure()});
    }
    for (const std::string& wanted : ids) {
        if (std::ranges::find(items, wanted, &MadeItem::id) == items.end()) {
            throw report::BrokenReport(name_ + ": does not say what became of " + wanted);
        }
    }
    return items;
}

}  // namespace kaname::agent
