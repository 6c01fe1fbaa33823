// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/web/gateway/in_process_channel.hpp"
#include "server/web/http/message.hpp"
#include "server/web/http/pages.hpp"

namespace kaname::gateway {

/// Looks at what is open, a few times a second: one thread for all. Safe from any thread.
class Poller {
public:
    /// False: it is over, and not looked at again. It does not throw.
    using Look = std::function<bool()>;

    explicit Poller(std::chrono::milliseconds every = std::chrono::milliseconds(250));
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    void add(Look look);

private:
    void run();

    const std::chrono::milliseconds every_;
    std::mutex mutex_;
    std::condition_variable woken_;
    std::vector<Look> looks_;
    bool ends_ = false;
    std::thread thread_;
};

/// One server-sent event (HTML, 9.2); `json` is one line. An empty name is a message.
[[nodiscard]] std::string event_text(std::string_view name, std::string_view id,
                                     std::string_view json);
/// The heartbeat is a comment that keeps a connection from being closed as idle.
inline constexpr const char* kHeartbeat = ": still here\n\n";
inline constexpr std::chrono::seconds kBetweenHeartbeats{15};
/// The head of an answer of events.
[[nodiscard]] http::Answer events_answer(std::shared_ptr<http::Feed> feed);

/// GET /v1/events/<Service>/<Method>?request=JSON. What it refers to outlives it.
[[nodiscard]] http::Page events_page(const std::vector<Method>& methods, InProcessChannel& channel,
                                     Poller& poller,
                                     std::function<void(const http::Request&)> look_again);

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

    void start(InProcessChannel& channel, Poller& poller);

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
