// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/events.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iterator>
#include <utility>

#include "proto/kaname/v1/jobs_service.pb.h"
#include "proto/report/report.hpp"
#include "proto/status/status.hpp"
#include "server/web/gateway/messages.hpp"
#include "server/web/http/answers.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::gateway {

Poller::Poller(std::chrono::milliseconds every) : every_(every), thread_([this] { run(); }) {}

Poller::~Poller() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    woken_.notify_all();
    thread_.join();
}

void Poller::add(Look look) {
    {
        const std::lock_guard lock(mutex_);
        looks_.push_back(std::move(look));
    }
    woken_.notify_all();
}

void Poller::run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
        std::vector<Look> looks;
        looks.swap(looks_);
        lock.unlock();
        std::erase_if(looks, [](const Look& look) { return !look(); });
        lock.lock();
        looks_.insert(looks_.end(), std::make_move_iterator(looks.begin()),
                      std::make_move_iterator(looks.end()));
        looks.clear();
        if (looks_.empty()) {
            woken_.wait(lock, [this] { return ends_ || !looks_.empty(); });
        } else {
            woken_.wait_for(lock, every_, [this] { return ends_; });
        }
    }
}

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

http::Page events_page(const std::vector<Method>& methods, InProcessChannel& channel,
                       Poller& poller, std::function<void(const http::Request&)> look_again) {
    return {.path = "/v1/events/",
            .methods = "GET",
            .later = [&methods, &channel, &poller, look_again = std::move(look_again)](
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
                    ->start(channel, poller);
            }};
}

using Clock = std::chrono::steady_clock;

Stream::Stream(Setup setup)
    : setup_(std::move(setup)),
      message_(new_message(*setup_.method.descriptor->output_type())),
      looked_(Clock::now()) {}

void Stream::start(InProcessChannel& channel, Poller& poller) {
    self_ = shared_from_this();
    open_ = channel.open();
    InProcessChannel::prepare(context_, caller_of(setup_.head), std::chrono::seconds(0));
    channel.stub().PrepareBidiStreamingCall(&context_, setup_.method.path(), {}, this);
    AddHold();  // between two reads there is nothing else that keeps it
    StartWriteLast(setup_.request.get(), grpc::WriteOptions());
    StartRead(message_.get());
    StartCall();
    poller.add([self = shared_from_this()] { return self->look_at_it(); });
}

void Stream::read_next() {
    if (feed_->left()) {
        context_.TryCancel();  // the read then fails
    }
    message_->Clear();
    StartRead(message_.get());
}

void Stream::OnReadDone(bool ok) {
    if (!ok) {
        RemoveHold();
        return;
    }
    try {
        take(*message_);
    } catch (const std::exception& error) {
        end_with(rpc::to_status(error));
    }
    if (begun()) {
        feed_->when_drained([self = shared_from_this()] { self->read_next(); });
    } else {
        read_next();
    }
}

void Stream::OnDone(const grpc::Status& status) {
    grpc::Status end = status;
    bool begun = false;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        begun = std::exchange(begun_, true);
        end = why_.value_or(status);
    }
    if (begun) {
        finish(end);
    } else {
        setup_.done(answer_of_end(end));
    }
    const auto last = std::move(self_);  // it goes with this
}

http::Answer Stream::answer_of_end(const grpc::Status& status) {
    try {
        throw_status(status.ok() ? grpc::Status(grpc::StatusCode::INTERNAL, "no answer") : status);
    } catch (const std::exception& error) {
        return http::error_answer(setup_.head, error);
    }
}

void Stream::begin(http::Answer answer) {
    {
        const std::lock_guard lock(mutex_);
        if (begun_) {
            return;
        }
        begun_ = true;
    }
    setup_.done(std::move(answer));
}

bool Stream::begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
}

void Stream::end_with(grpc::Status status) {
    {
        const std::lock_guard lock(mutex_);
        if (!why_) {
            why_ = std::move(status);
        }
    }
    context_.TryCancel();
}

bool Stream::look_at_it() {
    {
        const std::lock_guard lock(mutex_);
        if (ended_) {
            return false;
        }
        // Before the answer has begun the request is there, and only then.
        if (!begun_ && setup_.head.gone && setup_.head.gone()) {
            context_.TryCancel();
            return true;
        }
    }
    if (begun() && feed_->left()) {
        context_.TryCancel();
        return true;
    }
    if (Clock::now() - looked_ >= kLookAgain) {
        looked_ = Clock::now();
        try {
            setup_.look_again(setup_.head);
        } catch (const Error& error) {
            // While the database does not answer nobody can tell: the next look may.
            if (error.code() != ErrorCode::Unavailable) {
                end_with(rpc::to_status(error));
            }
        }
    }
    look();
    return true;
}

}  // namespace kaname::gateway
