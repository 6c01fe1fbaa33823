// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/messages.hpp"

#include <google/protobuf/util/json_util.h>

#include "proto/google/rpc/status.pb.h"
#include "proto/status/status.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::gateway {

using google::protobuf::Descriptor;
using google::protobuf::Message;

namespace {

constexpr std::size_t kMaxShownReason = 500;

}  // namespace

std::unique_ptr<Message> new_message(const Descriptor& type) {
    const Message* prototype =
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
    return std::unique_ptr<Message>(prototype->New());
}

std::unique_ptr<Message> parse(const Descriptor& type, const std::string& json,
                               const std::string& what) {
    auto message = new_message(type);
    if (json.find_first_not_of(" \t\r\n") == std::string::npos) {
        return message;
    }
    const auto status = google::protobuf::util::JsonStringToMessage(json, message.get());
    if (!status.ok()) {
        // The first line; the others show the place in the text.
        const std::string why(status.message());
        throw ValidationError(
            {{what, "must be a " + type.full_name() +
                        " in JSON: " + to_utf8(why.substr(0, why.find('\n')), kMaxShownReason)}});
    }
    return message;
}

std::string to_json(const grpc::Status& status) {
    google::rpc::Status rich;
    if (!rich.ParseFromString(status.error_details()) || rich.code() == 0) {
        rich.set_code(status.error_code());
        rich.set_message(to_utf8(status.error_message()));
    }
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(rich, &json).ok()) {
        rich.clear_details();
        (void)google::protobuf::util::MessageToJsonString(rich, &json);
    }
    return json;
}

void throw_status(const grpc::Status& status) {
    rpc::throw_error(status, "a call of this server");
}

}  // namespace kaname::gateway
