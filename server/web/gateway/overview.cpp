// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/overview.hpp"

#include <array>
#include <utility>

#include "proto/kaname/v1/admin_service.pb.h"
#include "proto/kaname/v1/campaigns_service.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"
#include "proto/reason/reasoned_error.hpp"
#include "proto/report/report.hpp"
#include "proto/status/status.hpp"
#include "server/web/gateway/events.hpp"
#include "server/web/gateway/gateway.hpp"
#include "server/web/gateway/messages.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway {
namespace {

constexpr std::chrono::seconds kBetweenLooks{2};

struct Question {
    const char* event;
    const char* method;
    const char* request;
};
constexpr std::array<Question, 4> kQuestions = {
    {{"stats", "Admin/GetStats", "{}"},
     {"workers", "Admin/ListWorkers", "{}"},
     {"jobs", "Jobs/ListJobs", "{\"page_size\":50}"},
     {"campaigns", "Campaigns/ListCampaigns", "{\"page_size\":50}"}}};

/// Adds to `changed` the items that are new or differ from `known`, which maps names to contents.
/// `known` then holds all of `items`.
template <class Items>
void keep_changed(const Items& items, std::map<std::string, std::string>& known, Items& changed) {
    std::map<std::string, std::string> now;
    for (const auto& item : items) {
        const std::string& text = now[item.name()] = item.SerializeAsString();
        const auto before = known.find(item.name());
        if (before == known.end() || before->second != text) {
            *changed.Add() = item;
        }
    }
    known = std::move(now);
}

}  // namespace

struct Overview::State {
    const std::vector<Method>& methods;
    InProcessChannel& channel;
    Poller& poller;
    Take take;
    std::function<void(const http::Request&)> look_again;
    std::mutex mutex;
    std::list<Watcher> watchers;
    std::array<Topic, kQuestions.size()> topics;
    std::map<std::string, std::string> jobs, campaigns;
    std::string trouble;
    Clock::time_point asked = {};
    bool asking = false, ended = false;
    bool in_rounds = false;  ///< round is called, as long as somebody watches
};

Overview::Overview(const std::vector<Method>& methods, InProcessChannel& channel, Poller& poller,
                   Take take, std::function<void(const http::Request&)> look_again)
    : state_(new State{methods,
                       channel,
                       poller,
                       std::move(take),
                       std::move(look_again),
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       false,
                       false}) {}

Overview::~Overview() {
    end();
}

http::Page Overview::page() {
    return {.path = "/v1/events/overview",
            .methods = "GET",
            .later = [this](const http::Request& request, http::Done done) {
                request.check_query({});
                watch(request, done);
            }};
}

/// Counts the watcher under the limits. Where they are reached, watchers that have left since the
/// last round give up their places first.
std::shared_ptr<void> Overview::place_for(const http::Request& request) {
    try {
        return state_->take(request);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Exhausted) {
            throw;
        }
    }
    {
        const std::lock_guard lock(state_->mutex);
        std::erase_if(state_->watchers, [](Watcher& watcher) { return watcher.feed->left(); });
    }
    return state_->take(request);
}

void Overview::watch(const http::Request& request, const http::Done& done) {
    Watcher watcher{.head = request, .place = place_for(request)};
    watcher.head.gone = {};
    const auto feed = watcher.feed;
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->ended) {
            throw rpc::ShuttingDown();
        }
        state_->watchers.push_back(std::move(watcher));
        // The kept state may be old because nobody watched before.
        if (state_->watchers.size() == 1) {
            state_->topics = {};
            state_->jobs.clear();
            state_->campaigns.clear();
        }
        state_->asked = {};
        if (!std::exchange(state_->in_rounds, true)) {
            state_->poller.add([state = state_] { return round(state); });
        }
    }
    done(events_answer(feed));
}

void Overview::end() {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
    const std::string last = event_text("error", "", to_json(rpc::to_status(rpc::ShuttingDown())));
    for (const Watcher& watcher : state_->watchers) {
        watcher.feed->write(last);
        watcher.feed->end();
    }
    state_->watchers.clear();
}

bool Overview::round(const std::shared_ptr<State>& state) {
    std::optional<Caller> caller;
    {
        const std::lock_guard lock(state->mutex);
        look_at(*state);
        if (state->ended || (state->watchers.empty() && !state->asking)) {
            state->in_rounds = false;
            return false;
        }
        const auto now = Clock::now();
        if (!state->watchers.empty() && !state->asking && now - state->asked >= kBetweenLooks) {
            state->asking = true;
            state->asked = now;
            state->trouble.clear();
            caller = caller_of(state->watchers.front().head);
        }
    }
    if (caller) {
        ask(state, 0, *caller);
    }
    return true;
}

/// Who has left, or may not listen any more; heartbeats. With the lock held.
void Overview::look_at(State& state) {
    const auto now = Clock::now();
    std::erase_if(state.watchers, [&](Watcher& watcher) {
        if (watcher.feed->left()) {
            return true;
        }
        if (now - watcher.written >= kBetweenHeartbeats) {
            watcher.written = now;
            watcher.feed->write(kHeartbeat);
        }
        if (now - watcher.looked < kLookAgain) {
            return false;
        }
        watcher.looked = now;
        try {
            state.look_again(watcher.head);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unavailable) {
                watcher.feed->write(event_text("error", "", to_json(rpc::to_status(error))));
                watcher.feed->end();
                return true;
            }
        }
        return false;
    });
}

void Overview::ask(const std::shared_ptr<State>& state, std::size_t topic, const Caller& caller) {
    {
        const std::lock_guard lock(state->mutex);
        if (topic == kQuestions.size()) {
            state->asking = false;
            tell(*state);
        }
        if (topic == kQuestions.size() || state->ended) {
            return;
        }
    }
    const Question& question = kQuestions[topic];
    const Method* method = find(state->methods, question.method);
    if (method == nullptr) {
        ask(state, topic + 1, caller);
        return;
    }
    call(state->channel, state->poller, *method, caller,
         parse(*method->descriptor->input_type(), question.request, "request"), {},
         [state, topic, caller](const grpc::Status& status, const Message& reply) {
             {
                 const std::lock_guard lock(state->mutex);
                 note(*state, topic, status, reply);
             }
             ask(state, topic + 1, caller);
         });
}

void Overview::note(State& state, std::size_t topic, const grpc::Status& status,
                    const Message& reply) {
    if (!status.ok()) {
        // Whose token ended is seen to by itself; the next one asks with another's.
        if (status.error_code() != grpc::StatusCode::UNAUTHENTICATED) {
            state.trouble = to_json(status);
        }
        return;
    }
    const std::unique_ptr<Message> change(reply.New());
    if (const auto* jobs = dynamic_cast<const v1::ListJobsResponse*>(&reply)) {
        keep_changed(jobs->jobs(), state.jobs,
                     *dynamic_cast<v1::ListJobsResponse&>(*change).mutable_jobs());
    } else if (const auto* list = dynamic_cast<const v1::ListCampaignsResponse*>(&reply)) {
        keep_changed(list->campaigns(), state.campaigns,
                     *dynamic_cast<v1::ListCampaignsResponse&>(*change).mutable_campaigns());
    } else {
        change->CopyFrom(reply);
    }
    Topic& of = state.topics[topic];
    const std::string whole = report::to_json(reply);
    // An empty list of changes says nothing; what is no list is told when it is another than
    // before.
    of.change = whole == of.whole ? "" : report::to_json(*change);
    of.whole = whole;
}

/// With the lock held.
void Overview::tell(State& state) {
    std::string changes, whole;
    for (std::size_t k = 0; k < kQuestions.size(); ++k) {
        Topic& topic = state.topics[k];
        if (!topic.change.empty()) {
            changes += event_text(kQuestions[k].event, "", topic.change);
        }
        if (!topic.whole.empty()) {
            whole += event_text(kQuestions[k].event, "", topic.whole);
        }
        topic.change.clear();
    }
    const std::string trouble =
        state.trouble.empty() ? "" : event_text("trouble", "", state.trouble);
    for (Watcher& watcher : state.watchers) {
        if (!watcher.feed->drained()) {
            watcher.fresh = true;  // it gets the newest of all when it has taken what is there
            continue;
        }
        const std::string text = (watcher.fresh ? whole : changes) + trouble;
        watcher.fresh = watcher.fresh && whole.empty();
        if (!text.empty()) {
            watcher.written = Clock::now();
            watcher.feed->write(text);
        }
    }
}

}  // namespace kaname::gateway
