// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <map>

#include "server/web/gateway/events.hpp"
#include "server/web/gateway/in_process_channel.hpp"
#include "server/web/http/pages.hpp"

namespace kaname::gateway {

/// Sends the changes of a server to all watchers. It asks the server every two seconds, once for
/// all watchers and only while there are any, and sends each topic that changed. A slow watcher
/// gets the newest whole state once it has taken what it was sent.
class Overview {
public:
    /// Counts a watcher under the limits of waiting streams, until what it returns goes; throws
    /// Exhausted.
    using Take = std::function<std::shared_ptr<void>(const http::Request&)>;

    Overview(const std::vector<Method>& methods, InProcessChannel& channel, Poller& poller,
             Take take, std::function<void(const http::Request&)> look_again);
    /// No round looks at it any more.
    ~Overview();
    Overview(const Overview&) = delete;
    Overview& operator=(const Overview&) = delete;

    /// GET /v1/events/overview.
    [[nodiscard]] http::Page page();
    /// All who watch are told that the server shuts down.
    void end();

private:
    using Clock = std::chrono::steady_clock;
    struct Watcher {
        http::Request head;
        std::shared_ptr<http::Feed> feed = std::make_shared<http::Feed>();
        std::shared_ptr<void> place;
        bool fresh = true;  ///< it has nothing of what is known
        Clock::time_point written = Clock::now(), looked = Clock::now();
    };
    /// Holds the newest event of a topic, and its change since the look before; empty: nothing.
    struct Topic {
        std::string whole, change;
    };
    struct State;

    void watch(const http::Request& request, const http::Done& done);
    [[nodiscard]] std::shared_ptr<void> place_for(const http::Request& request);
    static bool round(const std::shared_ptr<State>& state);
    static void ask(const std::shared_ptr<State>& state, std::size_t topic, const Caller& caller);
    static void note(State& state, std::size_t topic, const grpc::Status& status,
                     const Message& reply);
    static void tell(State& state);
    static void look_at(State& state);

    std::shared_ptr<State> state_;
};

}  // namespace kaname::gateway
