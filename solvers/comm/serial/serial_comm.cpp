// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/serial/serial_comm.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"

namespace kaname::comm {
namespace {

void require_self(int rank, const char* what) {
    if (rank != 0) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(what) + " must be 0 with one rank, got " + std::to_string(rank));
    }
}

}  // namespace

void SerialComm::sum(std::span<double> /*values*/) {}

void SerialComm::max(std::span<double> /*values*/) {}

void SerialComm::broadcast(Bytes& /*data*/, int root) {
    require_self(root, "root");
}

std::vector<Bytes> SerialComm::all_to_all(const std::vector<Bytes>& outgoing) {
    if (outgoing.size() != 1) {
        throw Error(ErrorCode::InvalidArgument, "outgoing must have one entry per rank (1), got " +
                                                    std::to_string(outgoing.size()));
    }
    return outgoing;
}

std::vector<Bytes> SerialComm::all_gather(const Bytes& mine) {
    return {mine};
}

void SerialComm::start_exchange(std::span<const Message> sends, std::span<const Message> receives) {
    if (sends.size() != receives.size()) {
        throw Error(ErrorCode::InvalidArgument, std::to_string(sends.size()) +
                                                    " sends cannot fill " +
                                                    std::to_string(receives.size()) + " receives");
    }
    for (std::size_t i = 0; i < sends.size(); ++i) {
        require_self(sends[i].peer, "peer");
        require_self(receives[i].peer, "peer");
        if (sends[i].data.size() != receives[i].data.size()) {
            throw Error(ErrorCode::InvalidArgument, "message of " +
                                                        std::to_string(sends[i].data.size()) +
                                                        " bytes does not fit a receive of " +
                                                        std::to_string(receives[i].data.size()));
        }
        std::copy(sends[i].data.begin(), sends[i].data.end(), receives[i].data.begin());
    }
}

}  // namespace kaname::comm
