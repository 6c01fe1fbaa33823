// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "solvers/comm/comm.hpp"

namespace kaname::comm {

/// ThreadGroup holds the state that the ranks of one run_as_threads share. It owns every byte that
/// another rank reads, and it outlives the threads, so that a rank may unwind at any time.
class ThreadGroup {
public:
    explicit ThreadGroup(int size);

    [[nodiscard]] int size() const { return size_; }
    /// Returns when all ranks are here. Throws Unavailable when one failed or returned.
    void wait_for_all();

    /// Returns the bytes that a rank shows the others: they are written before wait_for_all, and
    /// read by others until the next. Throws Unavailable when the group is broken (others may still
    /// read what was shown before).
    [[nodiscard]] std::vector<Bytes>& show(int rank);
    [[nodiscard]] const std::vector<Bytes>& shown_by(int rank) const {
        return shown_[static_cast<std::size_t>(rank)];
    }

    void post(int from, int to, std::span<const std::byte> data);
    /// Waits for the oldest message; throws Unavailable when it can no longer come, InvalidArgument
    /// when its size differs from that of `data`.
    void take(int from, int to, std::span<std::byte> data);

    void leave(int rank, const std::exception_ptr& error);
    void rethrow_first() const;

private:
    struct Mailbox {
        std::vector<Bytes> waiting;  // oldest first
        std::vector<Bytes> spare;  // emptied buffers, kept so that steady traffic allocates nothing
    };
    [[nodiscard]] Mailbox& mailbox(int from, int to) {
        return mail_[static_cast<std::size_t>(from) * static_cast<std::size_t>(size_) +
                     static_cast<std::size_t>(to)];
    }
    void throw_if_failed() const;
    void throw_if_broken() const;

    int size_;
    std::vector<std::vector<Bytes>> shown_;  // [rank][to, or one entry for all]
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0;
    std::uint64_t round_ = 0;
    std::vector<Mailbox> mail_;  // [from][to]
    std::vector<std::uint8_t> returned_;
    int returned_rank_ = -1;
    int failed_rank_ = -1;
    std::exception_ptr first_error_;
};

}  // namespace kaname::comm
