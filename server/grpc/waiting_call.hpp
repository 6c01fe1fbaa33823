// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <grpcpp/grpcpp.h>

#include "server/grpc/call.hpp"
#include "server/grpc/host.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::rpc {

/// While it lives, a message is being written to a caller; when that takes longer than
/// ApiOptions::longest_stall, the call is ended with UNAVAILABLE: the caller goes on later with
/// the resume token (or the offset) of what it read last.
class WriteDeadline {
public:
    WriteDeadline(Host& host, grpc::CallbackServerContext& call);
    ~WriteDeadline();
    WriteDeadline(const WriteDeadline&) = delete;
    WriteDeadline& operator=(const WriteDeadline&) = delete;

private:
    TimerQueue& timers_;
    TimerQueue::Ticket ticket_;
};

/// Starts a call's answers once its caller is known, and names the limit under which the call
/// counts.
template <class Message>
using Open = std::function<service::Answers<Message>(const auth::Principal&)>;

/// A call whose answers may wait: a stream of messages, or with `Reactor` of one answer the first
/// of them. It is always at exactly one place: in the pool, parked, being written, or finished;
/// what moves it on is there alone. `Derived` writes.
template <class Reactor, class Message>
class WaitingCall : public Reactor {
public:
    struct Setup {
        Host& host;
        ThreadPool& pool;
        grpc::CallbackServerContext& call;
        auth::Role needed;
        const service::Limit* limit;
        Open<Message> open;
        const char* method = "";  ///< refusals are kept under it
    };
    explicit WaitingCall(Setup setup) : setup_(std::move(setup)) { ++setup_.host.n_streams; }

    /// Refused at once when the pool is full.
    void begin() {
        if (!setup_.pool.try_submit([this] { step(); })) {
            this->Finish(too_many_wait());
        }
    }
    void OnCancel() override {
        const std::lock_guard lock(mutex_);
        cancelled_ = true;
        if (parked_ && setup_.host.timers.take_back(*parked_)) {
            parked_.reset();
            go_on();
        }
    }
    void OnDone() override {
        --setup_.host.n_streams;
        delete this;  // gRPC's callback API: the reactor owns itself
    }

protected:
    virtual void take(const Message& message) = 0;
    virtual void end() = 0;

    void go_on() {
        setup_.pool.submit([this] { step(); }, caller_ ? caller_->name : std::string());
    }
    [[nodiscard]] Setup& setup() { return setup_; }

private:
    /// On the pool. Nothing of this is touched once it is finished, parked or being written: it may
    /// go on, or go, meanwhile.
    void step() {
        if (has_gone()) {
            this->Finish(grpc::Status::CANCELLED);
            return;
        }
        try {
            if (!answers_) {
                caller_ =
                    authenticate(setup_.host.context, setup_.call, setup_.needed, setup_.method);
                place_ = setup_.host.context.limits.take(
                    *setup_.limit, caller_->name, connection_of(setup_.call), end_of(setup_.call));
                answers_.emplace(setup_.open(*caller_));
                go_on();  // in turn with what others want
                return;
            }
            switch (answers_->next()) {
                case service::Answers<Message>::Next::Answer:
                    take(answers_->message());
                    return;
                case service::Answers<Message>::Next::Pause:
                    park(answers_->pause());
                    return;
                case service::Answers<Message>::Next::End:
                    break;
            }
        } catch (const std::exception& error) {
            if (caller_) {
                service::note_refusal(setup_.host.context, *caller_, setup_.method, error);
            }
            service::log_trouble(setup_.host.context, error);
            this->Finish(to_status(error));
            return;
        }
        end();
    }
    bool has_gone() {
        const std::lock_guard lock(mutex_);
        parked_.reset();
        return cancelled_;
    }
    void park(service::Pause pause) {
        const std::lock_guard lock(mutex_);
        if (cancelled_) {
            go_on();
            return;
        }
        parked_ = setup_.host.timers.park(pause, [this] { go_on(); });
    }

    Setup setup_;
    std::optional<auth::Principal> caller_;
    std::optional<service::Answers<Message>> answers_;
    service::Limits::Place place_;
    std::mutex mutex_;
    bool cancelled_ = false;
    std::optional<TimerQueue::Ticket> parked_;
};

/// A stream of messages: the next one is made when the caller has taken the last. Where they are
/// written as another type, to_wire makes it.
template <class Message, class Wire = Message>
class StreamCall final : public WaitingCall<grpc::ServerWriteReactor<Wire>, Message> {
    using Base = WaitingCall<grpc::ServerWriteReactor<Wire>, Message>;

public:
    using Base::Base;

    void OnWriteDone(bool ok) override {
        stall_.reset();
        if (!ok) {
            this->Finish(grpc::Status::CANCELLED);
            return;
        }
        this->go_on();
    }

private:
    void take(const Message& message) override {
        stall_.emplace(this->setup().host, this->setup().call);
        if constexpr (std::is_same_v<Message, Wire>) {
            this->StartWrite(&message);
        } else {
            wire_ = to_wire(message);
            this->StartWrite(&wire_);
        }
    }
    void end() override { this->Finish(grpc::Status::OK); }

    std::optional<WriteDeadline> stall_;
    std::conditional_t<std::is_same_v<Message, Wire>, std::monostate, Wire> wire_;
};

/// One answer that may be long in coming.
template <class Message>
class LongPoll final : public WaitingCall<grpc::ServerUnaryReactor, Message> {
    using Base = WaitingCall<grpc::ServerUnaryReactor, Message>;

public:
    LongPoll(typename Base::Setup setup, Message& reply) : Base(std::move(setup)), reply_(reply) {}

private:
    void take(const Message& message) override {
        reply_ = message;
        this->Finish(grpc::Status::OK);
    }
    void end() override { this->Finish(grpc::Status::OK); }

    Message& reply_;
};

template <class Message, class Wire = Message>
grpc::ServerWriteReactor<Wire>* stream(
    typename WaitingCall<grpc::ServerWriteReactor<Wire>, Message>::Setup setup,
    const char* method = __builtin_FUNCTION()) {
    setup.method = method;
    auto* call = new StreamCall<Message, Wire>(std::move(setup));
    call->begin();
    return call;
}

template <class Message>
grpc::ServerUnaryReactor* long_poll(
    typename WaitingCall<grpc::ServerUnaryReactor, Message>::Setup setup, Message& reply,
    const char* method = __builtin_FUNCTION()) {
    setup.method = method;
    auto* call = new LongPoll<Message>(std::move(setup), reply);
    call->begin();
    return call;
}

/// A call with one answer on a pool of its own: who calls and whether there is a place for it, then
/// in turn with those of others `body`, and its end. The arguments that `body` refers to live until
/// then. RESOURCE_EXHAUSTED when too many wait, UNAVAILABLE when its turn came too late for whoever
/// called.
template <class Body>
grpc::ServerUnaryReactor* answer(Host& host, ThreadPool& pool, grpc::CallbackServerContext& call,
                                 auth::Role needed, Body body,
                                 const char* method = __builtin_FUNCTION()) {
    grpc::ServerUnaryReactor* reactor = call.DefaultReactor();
    const auto came = std::chrono::steady_clock::now();
    const auto in_turn = [&host, &call, reactor, body = std::move(body), came, method](
                             const auth::Principal& caller,
                             const std::shared_ptr<service::Limits::Place>& place) {
        if (call.IsCancelled()) {
            reactor->Finish(grpc::Status::CANCELLED);
        } else if (std::chrono::steady_clock::now() - came > Host::kLongestWait) {
            reactor->Finish(waited_too_long());
        } else {
            reactor->Finish(run_body(host.context, caller, *place, body, method));
        }
    };
    const bool queued = pool.try_submit([&host, &pool, &call, needed, reactor, in_turn, method] {
        try {
            const auth::Principal caller = authenticate(host.context, call, needed, method);
            const auto place = std::make_shared<service::Limits::Place>(host.context.limits.take(
                limit_of(needed), caller.name, connection_of(call), end_of(call)));
            pool.submit([in_turn, caller, place] { in_turn(caller, place); }, caller.name);
        } catch (const std::exception& error) {
            service::log_trouble(host.context, error);
            reactor->Finish(to_status(error));
        }
    });
    if (!queued) {
        reactor->Finish(too_many_wait());
    }
    return reactor;
}

}  // namespace kaname::rpc
