// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/events.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "proto/kaname/v1/jobs_service.pb.h"
#include "proto/report/report.hpp"
#include "server/gateway/messages.hpp"
#include "server/gateway/stream.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::gateway {
namespace {

using google::protobuf::FieldDescriptor;
using Clock = std::chrono::steady_clock;

/// A call that waits for what is to come is answered all the same.
constexpr std::chrono::seconds kFirstAnswer{1};
constexpr const char* kToken = "resume_token";

const FieldDescriptor* token_of(const Message& message) {
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(kToken);
    return field != nullptr && field->type() == FieldDescriptor::TYPE_STRING ? field : nullptr;
}

std::uint64_t number_of(const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

class EventStream final : public Stream {
public:
    explicit EventStream(Setup with)
        : Stream(std::move(with)),
          skipped_(number_of(setup().head.header("last-event-id").value_or(""))),
          began_(Clock::now()) {}

private:
    void take(const Message& message) override {
        if (const auto* log = dynamic_cast<const v1::LogChunk*>(&message)) {
            take_log(log->data());
            begin(events_answer(feed()));
            return;
        }
        const FieldDescriptor* token = token_of(message);
        write(event_text("",
                         token != nullptr ? message.GetReflection()->GetString(message, token) : "",
                         report::to_json(message)));
        begin(events_answer(feed()));
    }
    /// Logs only grow: the id of a piece is where it ends, and who comes again has what is before.
    void take_log(const std::string& data) {
        position_ += data.size();
        if (position_ <= skipped_) {
            return;
        }
        v1::LogChunk rest;
        rest.set_data(
            data.substr(data.size() - std::min<std::uint64_t>(data.size(), position_ - skipped_)));
        write(event_text("", std::to_string(position_), report::to_json(rest)));
    }
    void finish(const grpc::Status& status) override {
        feed()->write(status.ok() ? event_text("end", "", "{}")
                                  : event_text("error", "", to_json(status)));
        feed()->end();
    }
    http::Answer answer_of_end(const grpc::Status& status) override {
        if (!status.ok()) {
            return Stream::answer_of_end(status);
        }
        finish(status);
        return events_answer(feed());
    }
    void look() override {
        const auto now = Clock::now();
        if (!begun() && now - began_ >= kFirstAnswer) {
            begin(events_answer(feed()));
        }
        if (now - written_.load() >= kBetweenHeartbeats) {
            write(kHeartbeat);
        }
    }
    void write(std::string_view text) {
        written_ = Clock::now();
        feed()->write(text);
    }

    const std::uint64_t skipped_;
    std::uint64_t position_ = 0;
    const Clock::time_point began_;
    std::atomic<Clock::time_point> written_{Clock::now()};
};

std::string query_of(const http::Request& request) {
    request.check_query({"request"});
    const auto found = request.query.find("request");
    return found == request.query.end() ? "" : found->second;
}

}  // namespace

std::string event_text(std::string_view name, std::string_view id, std::string_view json) {
    std::string text;
    if (!name.empty()) {
        text.append("event: ").append(name).append("\n");
    }
    if (!id.empty()) {
        text.append("id: ").append(id).append("\n");
    }
    return text.append("data: ").append(json).append("\n\n");
}

http::Answer events_answer(std::shared_ptr<http::Feed> feed) {
    return {.headers = {{"Content-Type", "text/event-stream"},
                        {"Cache-Control", "no-store"},
                        {"X-Accel-Buffering", "no"}},  // nginx would keep events back
            .feed = std::move(feed)};
}

http::Page events_page(const std::vector<Method>& methods, Line& line, Rounds& rounds,
                       std::function<void(const http::Request&)> look_again) {
    return {.path = "/v1/events/",
            .methods = "GET",
            .later = [&methods, &line, &rounds, look_again = std::move(look_again)](
                         const http::Request& request, http::Done done) {
                const Method* method = find(methods, request.rest);
                if (method == nullptr || !method->streams()) {
                    throw Error(ErrorCode::NotFound,
                                "path must be /v1/events/<Service>/<Method> of a call with many "
                                "answers, or /v1/events/overview, got \"" +
                                    to_utf8(request.path, http::kMaxShownPath) + '"');
                }
                auto message =
                    parse(*method->descriptor->input_type(), query_of(request), "request");
                const auto last = request.header("last-event-id");
                if (const FieldDescriptor* token = token_of(*message); last && token != nullptr) {
                    message->GetReflection()->SetString(message.get(), token, to_utf8(*last));
                }
                std::make_shared<EventStream>(Stream::Setup{*method, std::move(message), request,
                                                            std::move(done), look_again})
                    ->start(line, rounds);
            }};
}

}  // namespace kaname::gateway
