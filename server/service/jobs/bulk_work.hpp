// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "server/service/context.hpp"

namespace kaname::service {

/// Goes on with submits, cancels and retries of large jobs after their calls were answered, in one
/// thread: where several wait, each has a few seconds at a time. What it has not done when the
/// server ends, a server does after a lease (Store::reap).
class BulkWork {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kOfACall{2};  ///< the part that a call does itself

    /// `context` outlives this.
    explicit BulkWork(Context& context) : context_(context) {}
    BulkWork(const BulkWork&) = delete;
    BulkWork& operator=(const BulkWork&) = delete;
    ~BulkWork();

    /// Goes on with this job. The thread starts with the first one.
    void go_on(const std::string& job_id);

private:
    void run();
    [[nodiscard]] bool ends();
    [[nodiscard]] bool others_wait();

    Context& context_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> jobs_;
    bool ends_ = false;
    std::thread thread_;
};

/// True after BulkWork::kOfACall, and when the server ends.
[[nodiscard]] store::Store::Stop stop_of_a_call(const Context& context);

}  // namespace kaname::service
