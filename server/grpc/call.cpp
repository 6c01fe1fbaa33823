// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/call.hpp"

#include <chrono>
#include <iterator>
#include <memory>
#include <string>

#include <grpc/grpc.h>

#include "server/auth/tokens.hpp"
#include "server/grpc/host.hpp"
#include "server/grpc/waiting_call.hpp"

namespace kaname::rpc {

auth::Principal authenticate(service::Context& context, const grpc::ServerContextBase& call,
                             auth::Role needed, const char* method) {
    if (from_gateway(call, kGatewayAsksRole)) {
        throw Error(ErrorCode::NotReady, kRoleIs + std::string(to_string(needed)));
    }
    const auto& metadata = call.client_metadata();
    const auto found = metadata.find("authorization");
    const bool any = found != metadata.end();
    return service::authenticate(
        context,
        any ? std::optional(std::string_view(found->second.data(), found->second.size()))
            : std::nullopt,
        needed, method);
}

std::string token_of(const grpc::ServerContextBase& call) {
    constexpr std::string_view kScheme = "Bearer ";
    const auto found = call.client_metadata().find("authorization");
    const std::string_view text =
        found == call.client_metadata().end()
            ? std::string_view()
            : std::string_view(found->second.data(), found->second.size());
    return std::string(text.starts_with(kScheme) ? text.substr(kScheme.size()) : "");
}

std::string traceparent_of(const grpc::ServerContextBase& call) {
    const auto [first, end] = call.client_metadata().equal_range("traceparent");
    const bool one = first != end && std::next(first) == end;
    return one ? std::string(first->second.data(), first->second.size()) : "";
}

std::string connection_of(const grpc::ServerContextBase& call) {
    if (auto behind = from_gateway(call, kGatewayConnection)) {
        return *behind;
    }
    // The gate's sockets have names of their own; callers of the unix socket have none.
    const std::string peer = call.peer();
    return peer.starts_with("unix:") ? "" : peer;
}

grpc::Status too_many_wait() {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            "at most " + std::to_string(Host::kLongestQueue) +
                " calls of a kind may wait for a thread; call again later"};
}

grpc::Status waited_too_long() {
    return {grpc::StatusCode::UNAVAILABLE, "the call waited for longer than " +
                                               std::to_string(Host::kLongestWait.count()) +
                                               " s for a thread; call again"};
}

namespace {

std::optional<std::string> metadata_of(const grpc::ServerContextBase& call, const char* name) {
    const auto found = call.client_metadata().find(name);
    return found != call.client_metadata().end()
               ? std::optional(std::string(found->second.data(), found->second.size()))
               : std::nullopt;
}

}  // namespace

const std::string& gateway_key() {
    static const std::string key = auth::random_token();
    return key;
}

std::optional<std::string> from_gateway(const grpc::ServerContextBase& call, const char* name) {
    const auto key = metadata_of(call, kGatewayKey);
    return key && *key == gateway_key() ? metadata_of(call, name) : std::nullopt;
}

namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::ServerRpcInfo;
using Clock = std::chrono::steady_clock;

class CallMeter final : public grpc::experimental::Interceptor {
public:
    CallMeter(service::Meters& meters, CallsInProgress& calls, ServerRpcInfo& info)
        : meters_(meters),
          calls_(calls),
          info_(info),
          method_(info.method()),
          timed_(info.type() == ServerRpcInfo::Type::UNARY ||
                 info.type() == ServerRpcInfo::Type::CLIENT_STREAMING) {
        if (!method_.empty() && method_.front() == '/') {
            method_.erase(0, 1);
        }
        calls_.begin();
    }
    ~CallMeter() override {
        if (!told_) {  // its connection ended before it did
            meters_.called(method_, grpc::StatusCode::CANCELLED, -1);
        }
        calls_.end();
    }
    CallMeter(const CallMeter&) = delete;
    CallMeter& operator=(const CallMeter&) = delete;

    void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
        if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
            told_ = true;
            // The gateway's questions to handlers at its start are not counted: they are no
            // caller's.
            if (!from_gateway(*info_.server_context(), kGatewayAsksRole)) {
                meters_.called(
                    method_, methods->GetSendStatus().error_code(),
                    timed_ ? std::chrono::duration<double>(Clock::now() - begun_).count() : -1);
            }
        }
        methods->Proceed();
    }

private:
    service::Meters& meters_;
    CallsInProgress& calls_;
    ServerRpcInfo& info_;
    std::string method_;
    bool timed_;
    bool told_ = false;
    Clock::time_point begun_ = Clock::now();
};

}  // namespace

void CallsInProgress::begin() {
    const std::lock_guard lock(mutex_);
    ++n_;
}

void CallsInProgress::end() {
    const std::lock_guard lock(mutex_);
    if (--n_ == 0) {
        ended_.notify_all();
    }
}

void CallsInProgress::wait_for_none(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, longest, [this] { return n_ == 0; });
}

grpc::experimental::Interceptor* CallMeters::CreateServerInterceptor(ServerRpcInfo* info) {
    return new CallMeter(meters_, calls_, *info);  // gRPC's own from here on
}

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
