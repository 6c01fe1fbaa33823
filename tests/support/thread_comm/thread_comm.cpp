// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/thread_comm/thread_comm.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

#include "solvers/base/error.hpp"
#include "tests/support/thread_comm/thread_group.hpp"

namespace kaname::comm {
namespace {

class ThreadComm final : public Comm {
public:
    ThreadComm(ThreadGroup& group, int rank) : group_(group), rank_(rank) {}

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return group_.size(); }
    void barrier() override { group_.wait_for_all(); }

    void sum(std::span<double> values) override {
        reduce(values, [](double a, double b) { return a + b; });
    }
    void max(std::span<double> values) override {
        reduce(values, [](double a, double b) { return std::max(a, b); });
    }

    void broadcast(Bytes& data, int root) override {
        check_rank(root, "root");
        if (rank_ == root) {
            group_.show(rank_).assign(1, data);
        }
        group_.wait_for_all();
        if (rank_ != root) {
            data = group_.shown_by(root).at(0);
        }
        group_.wait_for_all();
    }

    [[nodiscard]] std::vector<Bytes> all_to_all(const std::vector<Bytes>& outgoing) override {
        if (outgoing.size() != static_cast<std::size_t>(size())) {
            throw Error(ErrorCode::InvalidArgument, "outgoing must have one entry per rank (" +
                                                        std::to_string(size()) + "), got " +
                                                        std::to_string(outgoing.size()));
        }
        group_.show(rank_) = outgoing;
        return collect(static_cast<std::size_t>(rank_));
    }

    [[nodiscard]] std::vector<Bytes> all_gather(const Bytes& mine) override {
        group_.show(rank_).assign(1, mine);
        return collect(0);
    }

    void start_exchange(std::span<const Message> sends,
                        std::span<const Message> receives) override {
        for (const Message& message : receives) {
            check_rank(message.peer, "peer");
        }
        for (const Message& message : sends) {
            check_rank(message.peer, "peer");
            group_.post(rank_, message.peer, message.data);
        }
        receives_.assign(receives.begin(), receives.end());
    }

    void finish_exchange() override {
        for (const Message& message : receives_) {
            group_.take(message.peer, rank_, message.data);
        }
        receives_.clear();
    }

private:
    void check_rank(int rank, const char* what) const {
        if (rank < 0 || rank >= size()) {
            throw Error(ErrorCode::InvalidArgument, std::string(what) + " must be in 0.." +
                                                        std::to_string(size() - 1) + ", got " +
                                                        std::to_string(rank));
        }
    }

    [[nodiscard]] std::vector<Bytes> collect(std::size_t entry) {
        group_.wait_for_all();
        std::vector<Bytes> incoming;
        for (int rank = 0; rank < size(); ++rank) {
            incoming.push_back(group_.shown_by(rank).at(entry));
        }
        group_.wait_for_all();
        return incoming;
    }

    // Every rank folds all contributions in rank order: the same bits everywhere and every time.
    template <class Op>
    void reduce(std::span<double> values, Op op) {
        std::vector<Bytes>& shown = group_.show(rank_);
        const auto bytes = std::as_bytes(values);
        shown.resize(1);
        shown[0].assign(bytes.begin(), bytes.end());
        group_.wait_for_all();
        for (int rank = 0; rank < size(); ++rank) {
            const Bytes& theirs = group_.shown_by(rank).at(0);
            if (theirs.size() != bytes.size()) {
                throw Error(ErrorCode::InvalidArgument,
                            "rank " + std::to_string(rank_) + " reduces " +
                                std::to_string(bytes.size()) + " bytes, rank " +
                                std::to_string(rank) + " " + std::to_string(theirs.size()));
            }
            for (std::size_t i = 0; i < values.size(); ++i) {
                double value = 0.0;
                std::memcpy(&value, theirs.data() + i * sizeof(double), sizeof(double));
                values[i] = rank == 0 ? value : op(values[i], value);
            }
        }
        group_.wait_for_all();
    }

    ThreadGroup& group_;
    int rank_;
    std::vector<Message> receives_;
};

}  // namespace

void run_as_threads(int ranks, const std::function<void(Comm&)>& body) {
    if (ranks < 1) {
        throw Error(ErrorCode::InvalidArgument, "ranks must be >= 1, got " + std::to_string(ranks));
    }
    ThreadGroup group(ranks);
    const auto run_rank = [&](int rank) {
        std::exception_ptr error;
        try {
            ThreadComm comm(group, rank);
            body(comm);
        } catch (...) {
            error = std::current_exception();
        }
        group.leave(rank, error);
    };
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank) {
        try {
            threads.emplace_back(run_rank, rank);
        } catch (...) {  // no more threads: the ranks that do run must not wait for this one
            group.leave(rank, std::current_exception());
            break;
        }
    }
    run_rank(0);
    for (std::thread& thread : threads) {
        thread.join();
    }
    group.rethrow_first();
}

}  // namespace kaname::comm
