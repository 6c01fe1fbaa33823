// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/comm.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "solvers/base/error.hpp"

namespace kaname::comm {
namespace {

struct Failure {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
};

Failure describe(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        return {e.code(), e.what()};
    } catch (const std::exception& e) {
        return {ErrorCode::Internal, e.what()};
    } catch (...) {
        return {ErrorCode::Internal, "unknown exception"};
    }
}

}  // namespace

std::int64_t Comm::sum(std::int64_t value) {
    // value = hi 2^32 + lo; both halves add without rounding as doubles for up to 2^21 ranks.
    constexpr std::int64_t kLowMask = 0xffffffff;
    std::array<double, 2> parts = {static_cast<double>(value >> 32),
                                   static_cast<double>(value & kLowMask)};
    sum(std::span<double>(parts));
    return static_cast<std::int64_t>(parts[0]) * (kLowMask + 1) +
           static_cast<std::int64_t>(parts[1]);
}

void Comm::throw_if_any(const std::exception_ptr& local_error) {
    // Largest for the lowest failing rank, 0 when all is well: one small reduction on the good
    // path.
    const double mark = max(local_error ? static_cast<double>(size() - rank()) : 0.0);
    if (mark == 0.0) {
        return;
    }
    const int root = size() - static_cast<int>(mark);
    Bytes packed;
    if (rank() == root) {
        const Failure failure = describe(local_error);
        packed.resize(1 + failure.message.size());
        packed[0] = static_cast<std::byte>(failure.code);
        std::memcpy(packed.data() + 1, failure.message.data(), failure.message.size());
    }
    broadcast(packed, root);
    if (local_error) {
        std::rethrow_exception(local_error);
    }
    const std::string message(reinterpret_cast<const char*>(packed.data()) + 1, packed.size() - 1);
    throw Error(static_cast<ErrorCode>(packed[0]), "rank " + std::to_string(root) + ": " + message);
}

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
