// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/waiting_call.hpp"

#include <memory>
#include <string>

#include <grpc/grpc.h>

namespace kaname::rpc {

WriteDeadline::WriteDeadline(Host& host, grpc::CallbackServerContext& call) : timers_(host.timers) {
    // The call may end while it is being cut off: a reference of its own keeps the core's part.
    grpc_call* const core = call.c_call();
    grpc_call_ref(core);
    const std::shared_ptr<grpc_call> kept(core, grpc_call_unref);
    const service::Context& context = host.context;
    ticket_ = timers_.after(context.options.longest_stall, [kept, &context] {
        const std::string why =
            context.draining ? std::string("the server shuts down; call again")
                             : "nothing was read for " +
                                   std::to_string(context.options.longest_stall.count() / 1000) +
                                   " s; go on with the last resume token or offset";
        grpc_call_cancel_with_status(kept.get(), GRPC_STATUS_UNAVAILABLE, why.c_str(), nullptr);
    });
}

WriteDeadline::~WriteDeadline() {
    (void)timers_.take_back(ticket_);
}

}  // namespace kaname::rpc
