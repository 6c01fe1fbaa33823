// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/stream.hpp"

#include <utility>

#include "proto/status/status.hpp"
#include "server/gateway/messages.hpp"
#include "server/http/error_answer.hpp"

namespace kaname::gateway {

using Clock = std::chrono::steady_clock;

Stream::Stream(Setup setup)
    : setup_(std::move(setup)),
      message_(new_message(*setup_.method.descriptor->output_type())),
      looked_(Clock::now()) {}

void Stream::start(Line& line, Rounds& rounds) {
    self_ = shared_from_this();
    open_ = line.open();
    Line::prepare(context_, caller_of(setup_.head), std::chrono::seconds(0));
    line.stub().PrepareBidiStreamingCall(&context_, setup_.method.path(), {}, this);
    AddHold();  // between two reads there is nothing else that keeps it
    StartWriteLast(setup_.request.get(), grpc::WriteOptions());
    StartRead(message_.get());
    StartCall();
    rounds.add([self = shared_from_this()] { return self->look_at_it(); });
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
