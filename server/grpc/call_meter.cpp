// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/call_meter.hpp"

#include <chrono>
#include <string>

#include "server/grpc/gateway_call.hpp"

namespace kaname::rpc {
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

}  // namespace kaname::rpc
