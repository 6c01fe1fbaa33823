// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/thread_comm/thread_group.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::comm {

ThreadGroup::ThreadGroup(int size)
    : size_(size),
      shown_(static_cast<std::size_t>(size)),
      mail_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
      returned_(static_cast<std::size_t>(size), 0) {}

void ThreadGroup::throw_if_failed() const {
    if (failed_rank_ >= 0) {
        throw Error(ErrorCode::Unavailable, "rank " + std::to_string(failed_rank_) + " failed");
    }
}

void ThreadGroup::throw_if_broken() const {
    throw_if_failed();
    if (returned_rank_ >= 0) {
        throw Error(ErrorCode::Unavailable, "rank " + std::to_string(returned_rank_) +
                                                " returned while others wait in a collective");
    }
}

std::vector<Bytes>& ThreadGroup::show(int rank) {
    const std::lock_guard lock(mutex_);
    throw_if_broken();
    return shown_[static_cast<std::size_t>(rank)];
}

void ThreadGroup::wait_for_all() {
    std::unique_lock lock(mutex_);
    throw_if_broken();
    const std::uint64_t round = round_;
    if (++arrived_ == size_) {
        arrived_ = 0;
        ++round_;
        changed_.notify_all();
        return;
    }
    changed_.wait(lock,
                  [&] { return round_ != round || failed_rank_ >= 0 || returned_rank_ >= 0; });
    if (round_ == round) {
        throw_if_broken();
    }
}

void ThreadGroup::post(int from, int to, std::span<const std::byte> data) {
    const std::lock_guard lock(mutex_);
    throw_if_failed();
    Mailbox& box = mailbox(from, to);
    Bytes buffer;
    if (!box.spare.empty()) {
        buffer = std::move(box.spare.back());
        box.spare.pop_back();
    }
    buffer.assign(data.begin(), data.end());
    box.waiting.push_back(std::move(buffer));
    changed_.notify_all();
}

void ThreadGroup::take(int from, int to, std::span<std::byte> data) {
    std::unique_lock lock(mutex_);
    Mailbox& box = mailbox(from, to);
    changed_.wait(lock, [&] {
        return !box.waiting.empty() || failed_rank_ >= 0 ||
               returned_[static_cast<std::size_t>(from)] != 0;
    });
    throw_if_failed();
    if (box.waiting.empty()) {
        throw Error(ErrorCode::Unavailable, "rank " + std::to_string(from) +
                                                " returned before it sent to rank " +
                                                std::to_string(to));
    }
    Bytes message = std::move(box.waiting.front());
    box.waiting.erase(box.waiting.begin());
    if (message.size() != data.size()) {
        throw Error(ErrorCode::InvalidArgument, "rank " + std::to_string(from) + " sent " +
                                                    std::to_string(message.size()) +
                                                    " bytes, rank " + std::to_string(to) +
                                                    " expects " + std::to_string(data.size()));
    }
    std::copy(message.begin(), message.end(), data.begin());
    box.spare.push_back(std::move(message));
}

void ThreadGroup::leave(int rank, const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    returned_[static_cast<std::size_t>(rank)] = 1;
    if (error && failed_rank_ < 0) {
        failed_rank_ = rank;
        first_error_ = error;
    }
    if (!error && returned_rank_ < 0) {
        returned_rank_ = rank;
    }
    changed_.notify_all();
}

void ThreadGroup::rethrow_first() const {
    if (first_error_) {
        std::rethrow_exception(first_error_);
    }
}

}  // namespace kaname::comm
