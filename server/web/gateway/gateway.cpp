// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/gateway.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <span>
#include <utility>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/report/report.hpp"
#include "server/web/gateway/events.hpp"
#include "server/web/gateway/messages.hpp"
#include "server/web/http/answers.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::gateway {
namespace {

/// Returns the methods that each role may call; the handlers are asked for them once.
std::function<AllowedCalls(auth::Role)> abilities_of(const std::vector<Method>& methods,
                                                     InProcessChannel& channel) {
    std::vector<std::pair<const Method*, auth::Role>> needs;
    for (const Method& method : methods) {
        if (method.why_not.empty()) {
            const auto role = auth::role_named(channel.role_of(method));
            if (!role) {
                throw Error(ErrorCode::Internal, method.name + " needs a role that is none");
            }
            needs.emplace_back(&method, *role);
        }
    }
    return [needs = std::move(needs)](auth::Role role) {
        AllowedCalls may;
        for (const auto& [method, needed] : needs) {
            if (auth::allows(role, needed)) {
                (method->streams() ? may.streams : may.methods).push_back(method->name);
            }
        }
        return may;
    };
}

}  // namespace

const std::vector<std::string>& served_services() {
    static const std::vector<std::string> names = {"Jobs",     "Greens",    "Artifacts",
                                                   "Datasets", "Campaigns", "Admin"};
    return names;
}

Gateway::Gateway(GatewayOptions options)
    : methods_(methods_of(served_services())),
      login_(std::move(options.by_token),
             [&] {
                 options.login.abilities = [this](auth::Role role) { return abilities_(role); };
                 return std::move(options.login);
             }()),
      channel_(std::move(options.channel)),
      overview_(methods_, channel_, poller_, std::move(options.take_stream),
                [this](const http::Request& request) { login_.look_again(request); }) {
    abilities_ = abilities_of(methods_, channel_);
}

http::Authenticate Gateway::authenticate() {
    return [this](http::Request& request, auth::Role needed, const std::string& method) {
        return login_.authenticate(request, needed, method);
    };
}

std::vector<http::Page> Gateway::pages() {
    const auto look_again = [this](const http::Request& request) { login_.look_again(request); };
    std::vector<http::Page> pages = login_.pages();
    pages.push_back(rpc_page(methods_, channel_, poller_));
    pages.push_back(events_page(methods_, channel_, poller_, look_again));
    pages.push_back(overview_.page());
    pages.push_back(slices_page(methods_, channel_, poller_, look_again));
    return pages;
}

namespace {

constexpr std::chrono::seconds kDeadline{300};

struct Call {
    grpc::ClientContext context;
    std::unique_ptr<Message> request, reply;
    std::mutex mutex;
    bool ended = false;
    std::function<bool()> gone;
};

}  // namespace

void call(InProcessChannel& channel, Poller& poller, const Method& method, const Caller& caller,
          std::unique_ptr<Message> request, std::function<bool()> gone, Answered answered) {
    const auto open = std::make_shared<Call>();
    open->request = std::move(request);
    open->reply = new_message(*method.descriptor->output_type());
    open->gone = std::move(gone);
    const auto kept = channel.open();
    InProcessChannel::prepare(open->context, caller, kDeadline);
    channel.stub().UnaryCall(
        &open->context, method.path(), {}, open->request.get(), open->reply.get(),
        [open, kept, answered = std::move(answered)](const grpc::Status& status) {
            {
                const std::lock_guard lock(open->mutex);
                open->ended = true;
            }
            answered(status, *open->reply);
        });
    if (open->gone) {
        poller.add([open] {
            const std::lock_guard lock(open->mutex);
            if (!open->ended && open->gone()) {
                open->context.TryCancel();
                return false;
            }
            return !open->ended;
        });
    }
}

http::Page rpc_page(const std::vector<Method>& methods, InProcessChannel& channel, Poller& poller) {
    return {.path = "/v1/rpc/",
            .methods = "POST",
            .body_bytes = kMaxRequestJson,
            .later = [&methods, &channel, &poller](const http::Request& request, http::Done done) {
                const Method* method = find(methods, request.rest);
                if (method == nullptr || method->streams()) {
                    throw Error(ErrorCode::NotFound,
                                "path must be /v1/rpc/<Service>/<Method> of a "
                                "call with one answer, got \"" +
                                    to_utf8(request.path, http::kMaxShownPath) + '"');
                }
                request.check_query({});
                call(channel, poller, *method, caller_of(request),
                     parse(*method->descriptor->input_type(), request.body, "body"), request.gone,
                     [done = std::move(done), &request](const grpc::Status& status,
                                                        const Message& reply) {
                         try {
                             if (!status.ok()) {
                                 throw_status(status);
                             }
                             done({.headers = {{"Content-Type", "application/json"},
                                               {"Cache-Control", "no-store"}},
                                   .text = report::to_json(reply) + "\n"});
                         } catch (const std::exception& error) {
                             done(http::error_answer(request, error));
                         }
                     });
            }};
}

namespace {

static_assert(std::endian::native == std::endian::little, "values are sent as they lie in memory");

constexpr std::uint64_t kMost = 256U << 20U;

class SliceStream final : public Stream {
public:
    using Stream::Stream;

private:
    void take(const Message& message) override {
        const auto& part = dynamic_cast<const v1::ReadSliceResponse&>(message);
        if (part.has_shape() && !begun()) {
            begin_with(part.shape());
        }
        if (part.values_size() == 0) {
            return;
        }
        if (static_cast<std::uint64_t>(part.first()) * sizeof(double) != sent_) {
            throw Error(ErrorCode::Internal, "values of a slice came out of their order");
        }
        const std::span values(part.values().data(), static_cast<std::size_t>(part.values_size()));
        feed()->write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
        sent_ += values.size_bytes();
    }
    void begin_with(const v1::ReadSliceResponse::Shape& shape) {
        const std::array sizes = {shape.sources(), shape.epochs(), shape.stations(),
                                  shape.components()};
        std::string text;
        bytes_ = sizeof(double);
        for (const std::int64_t size : sizes) {
            text += (text.empty() ? "" : ",") + std::to_string(size);
            bytes_ *= static_cast<std::uint64_t>(size);
        }
        if (bytes_ > kMost) {
            throw Error(ErrorCode::InvalidArgument,
                        "a slice must have at most " + std::to_string(kMost) + " bytes, got " +
                            std::to_string(bytes_) + " (" + text + "); ask for it in pieces");
        }
        begin({.headers = {{"Content-Type", "application/octet-stream"},
                           {"Cache-Control", "no-store"},
                           {"Kaname-Shape", text}},
               .feed = feed(),
               .feed_bytes = bytes_});
    }
    void finish(const grpc::Status& status) override {
        if (status.ok() && sent_ == bytes_) {
            feed()->end();
        } else {
            feed()->fail();
        }
    }

    std::uint64_t bytes_ = 0, sent_ = 0;
};

}  // namespace

http::Page slices_page(const std::vector<Method>& methods, InProcessChannel& channel,
                       Poller& poller, std::function<void(const http::Request&)> look_again) {
    const auto found = std::ranges::find(methods, "Artifacts/ReadSlice", &Method::name);
    if (found == methods.end()) {
        throw Error(ErrorCode::Internal, "there is no Artifacts/ReadSlice");
    }
    return {
        .path = "/v1/slices",
        .methods = "POST",
        .body_bytes = kMaxRequestJson,
        .later = [&method = *found, &channel, &poller, look_again = std::move(look_again)](
                     const http::Request& request, http::Done done) {
            request.check_query({});
            http::Request head = request;
            head.body.clear();
            std::make_shared<SliceStream>(
                Stream::Setup{method, parse(*method.descriptor->input_type(), request.body, "body"),
                              std::move(head), std::move(done), look_again})
                ->start(channel, poller);
        }};
}

}  // namespace kaname::gateway
