// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <microhttpd.h>

#include "server/web/http/pages.hpp"

namespace kaname::http {

/// One request and its answer, from its head to the end of its answer.
struct Exchange {
    Exchange() = default;
    ~Exchange() {
        if (answer.feed) {
            answer.feed->detach();
        }
    }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    enum class Stage { Head, Admitting, Body, Answering };
    Stage stage = Stage::Head;
    MHD_Connection* connection = nullptr;
    Request request;
    const Page* page = nullptr;
    Answer answer;
    bool answered = false, overflown = false;
};

/// The request's headers, by lower-case names, and what its address asks for.
void read_values(MHD_Connection* connection, Request& into);

/// Queues the answer, which the exchange keeps until it is sent; MHD_NO when memory or descriptors
/// have run out.
MHD_Result send(Exchange& exchange, bool encrypted);

/// Threads on which answers are made, one at a time each. What is queued is run, also when it
/// stops: each job has a connection that waits.
class ThreadPool {
public:
    explicit ThreadPool(int threads);
    ~ThreadPool() { stop(); }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// False: it has stopped.
    [[nodiscard]] bool submit(std::function<void()> job);
    /// Returns when all jobs have ended.
    void stop();

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace kaname::http
