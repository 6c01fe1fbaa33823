// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "server/gateway/line.hpp"
#include "server/gateway/rounds.hpp"
#include "server/http/message.hpp"

namespace kaname::gateway {

/// How long a token or session that has ended may still be listened with.
inline constexpr std::chrono::seconds kLookAgain{3};

/// A call with many answers, sent as they come: the next one is asked for when the reader has taken
/// the last, so that one is in memory, and no thread waits. It owns itself until its end. Ends
/// early, by cancelling its call, when the reader leaves or `look_again` throws.
class Stream : public grpc::ClientBidiReactor<Message, Message>,
               public std::enable_shared_from_this<Stream> {
public:
    struct Setup {
        const Method& method;
        std::unique_ptr<Message> request;
        http::Request head;  ///< of the HTTP request, without its body
        http::Done done;
        std::function<void(const http::Request&)> look_again;
    };
    explicit Stream(Setup setup);

    void start(Line& line, Rounds& rounds);

    void OnReadDone(bool ok) override;
    void OnDone(const grpc::Status& status) override;

protected:
    /// Writes a message to the answer, and begins the answer if necessary.
    virtual void take(const Message& message) = 0;
    /// Is called at the end of a call whose answer has begun.
    virtual void finish(const grpc::Status& status) = 0;
    /// Returns the whole answer of a call that ended before its answer began; nothing follows it.
    [[nodiscard]] virtual http::Answer answer_of_end(const grpc::Status& status);
    /// Called a few times a second while it is open.
    virtual void look() {}

    /// The answer's head; the first one counts.
    void begin(http::Answer answer);
    [[nodiscard]] bool begun();
    [[nodiscard]] const std::shared_ptr<http::Feed>& feed() { return feed_; }
    [[nodiscard]] const Setup& setup() const { return setup_; }
    /// Ends the call, and with this status.
    void end_with(grpc::Status status);

private:
    [[nodiscard]] bool look_at_it();
    void read_next();

    Setup setup_;
    grpc::ClientContext context_;
    std::unique_ptr<Message> message_;
    std::shared_ptr<http::Feed> feed_ = std::make_shared<http::Feed>();
    std::shared_ptr<Stream> self_;
    std::shared_ptr<void> open_;
    std::mutex mutex_;
    bool begun_ = false, ended_ = false;
    std::optional<grpc::Status> why_;  ///< it was ended here
    std::chrono::steady_clock::time_point looked_;
};

}  // namespace kaname::gateway
