// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/verb_session.hpp"

#include <algorithm>
#include <optional>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCancelGrace{10};

}  // namespace

VerbSession::VerbSession(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments, run::Ranks ranks,
                         const run::ResourceLimits& limits, std::chrono::seconds hang,
                         const Callbacks& callbacks, const std::string& traceparent)
    : name_("kaname-compute " + arguments.front()),
      session_(program, arguments, ranks, limits, traceparent),
      watch_(hang) {
    const run::Event event = wait(callbacks);
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        run::rethrow(*failure);
    }
}

run::Event VerbSession::wait(const Callbacks& callbacks) {
    const auto on_event = [&](const run::Event& event) {
        if (const auto* log = std::get_if<run::Log>(&event)) {
            callbacks.on_log(log->line);
            return;
        }
        watch_.heard();
        if (const auto* progress = std::get_if<run::Progress>(&event)) {
            callbacks.on_progress(*progress);
        } else if (const auto* checkpoint = std::get_if<run::Checkpoint>(&event)) {
            callbacks.on_checkpoint(*checkpoint);
        }
    };
    watch_.restart();
    try {
        const run::Event answer = session_.next(on_event, [&] {
            callbacks.check();
            watch_.check();
        });
        watch_.heard();
        return answer;
    } catch (const run::SessionEnded& error) {
        throw Broken("crashed", error.what());
    }
}

std::vector<MadeItem> VerbSession::run(const std::vector<std::string>& ids,
                                       const Callbacks& callbacks, const std::string& traceparent) {
    const std::string id = std::to_string(++n_packs_);
    const auto command = [&](const char* cmd, const std::vector<std::string>& sources) {
        v1::SolveCommand message;
        message.set_cmd(cmd);
        message.set_id(id);
        message.mutable_sources()->Assign(sources.begin(), sources.end());
        message.set_traceparent(traceparent);
        session_.send(report::to_json(message));
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
