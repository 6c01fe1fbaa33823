// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/channel.hpp"

#include <grpcpp/grpcpp.h>

#include "proto/status/proxy.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::rpc {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials(const Target& target) {
    if (target.ca.empty()) {
        return grpc::InsecureChannelCredentials();
    }
    return grpc::SslCredentials({target.ca, target.key, target.certificate});
}

}  // namespace

std::shared_ptr<grpc::Channel> connect(const Target& target) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 60000);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, proxy_of(target) ? 1 : 0);
    return grpc::CreateCustomChannel(target.address, credentials(target), arguments);
}

std::string read_pem(const std::string& field, const std::string& file) {
    if (file.empty()) {
        return "";
    }
    const std::string text = read_file_if_any(file);
    if (text.find("-----BEGIN ") == std::string::npos) {
        throw Error(ErrorCode::NotFound,
                    field + ": must name a PEM file that can be read, got \"" + file + '"');
    }
    return text;
}

}  // namespace kaname::rpc
