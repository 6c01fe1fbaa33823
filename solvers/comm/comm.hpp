// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace kaname::comm {

using Bytes = std::vector<std::byte>;

/// Point-to-point message set of a halo exchange: the same neighbours and sizes every time.
struct Message {
    int peer;
    std::span<std::byte> data;
};

/// The ranks that solve one problem together. Every member is collective unless said otherwise.
/// Implementations: serial (one rank), mpi; in tests and benches also ranks as threads of one
/// process (tests/support/thread_comm).
class Comm {
public:
    virtual ~Comm() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    virtual void barrier() = 0;
    /// In-place element-wise sum / max over ranks; bitwise the same result on every rank.
    virtual void sum(std::span<double> values) = 0;
    virtual void max(std::span<double> values) = 0;
    /// Sends `data` of rank `root` to all; the others' content is replaced.
    virtual void broadcast(Bytes& data, int root) = 0;
    /// outgoing[r] goes to rank r; returns incoming[r] from rank r.
    [[nodiscard]] virtual std::vector<Bytes> all_to_all(const std::vector<Bytes>& outgoing) = 0;
    /// Everybody's `mine`, by rank.
    [[nodiscard]] virtual std::vector<Bytes> all_gather(const Bytes& mine) = 0;

    /// Returns true if messages of an exchange may lie in a GPU's memory (CUDA-aware MPI).
    [[nodiscard]] virtual bool takes_device_memory() const { return false; }
    /// Starts sending `sends` and receiving into `receives`; the spans stay untouched until
    /// finish_exchange. Not collective: only the named peers take part. One exchange at a time.
    virtual void start_exchange(std::span<const Message> sends,
                                std::span<const Message> receives) = 0;
    virtual void finish_exchange() = 0;

    [[nodiscard]] double sum(double value) {
        sum(std::span<double>(&value, 1));
        return value;
    }
    [[nodiscard]] double max(double value) {
        max(std::span<double>(&value, 1));
        return value;
    }
    [[nodiscard]] std::int64_t sum(std::int64_t value);

    /// Throws on every rank when any rank holds an error; call before the next collective, so that
    /// one rank's failure cannot leave the others waiting. The rank with the error rethrows it;
    /// the others throw Error with the same code and "rank N: ..." in the message.
    void throw_if_any(const std::exception_ptr& local_error);
};

/// The only rank there is.
class SerialComm final : public Comm {
public:
    using Comm::max;
    using Comm::sum;

    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void barrier() override {}
    void sum(std::span<double> values) override;
    void max(std::span<double> values) override;
    void broadcast(Bytes& data, int root) override;
    [[nodiscard]] std::vector<Bytes> all_to_all(const std::vector<Bytes>& outgoing) override;
    [[nodiscard]] std::vector<Bytes> all_gather(const Bytes& mine) override;
    /// Only messages to itself are possible; the i-th send fills the i-th receive.
    void start_exchange(std::span<const Message> sends, std::span<const Message> receives) override;
    void finish_exchange() override {}
};

}  // namespace kaname::comm
