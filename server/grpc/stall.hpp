// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <grpcpp/grpcpp.h>

#include "server/grpc/host.hpp"

namespace kaname::rpc {

/// While it lives, a message is being written to a caller; when that takes longer than
/// ApiOptions::longest_stall, the call is ended with UNAVAILABLE: the caller goes on later with
/// the resume token (or the offset) of what it read last.
class Stall {
public:
    Stall(Host& host, grpc::CallbackServerContext& call);
    ~Stall();
    Stall(const Stall&) = delete;
    Stall& operator=(const Stall&) = delete;

private:
    Parking& parking_;
    Parking::Ticket ticket_;
};

}  // namespace kaname::rpc
