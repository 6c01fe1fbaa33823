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
    CallMeter(service::Meters& meters, ServerRpcInfo& info)
        : meters_(meters),
          info_(info),
          method_(info.method()),
          timed_(info.type() == ServerRpcInfo::Type::UNARY ||
                 info.type() == ServerRpcInfo::Type::CLIENT_STREAMING) {
        if (!method_.empty() && method_.front() == '/') {
            method_.erase(0, 1);
        }
    }
    ~CallMeter() override {
        if (!told_) {  // its connection ended before it did
            meters_.called(method_, grpc::StatusCode::CANCELLED, -1);
        }
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
    ServerRpcInfo& info_;
    std::string method_;
    bool timed_;
    bool told_ = false;
    Clock::time_point begun_ = Clock::now();
};

}  // namespace

grpc::experimental::Interceptor* CallMeters::CreateServerInterceptor(ServerRpcInfo* info) {
    return new CallMeter(meters_, *info);  // gRPC's own from here on
}

}  // namespace kaname::rpc
