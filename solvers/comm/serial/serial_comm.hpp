// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/comm/comm.hpp"

namespace kaname::comm {

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
