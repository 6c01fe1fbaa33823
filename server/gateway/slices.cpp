// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/slices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "server/gateway/messages.hpp"
#include "server/gateway/stream.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway {
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

http::Page slices_page(const std::vector<Method>& methods, Line& line, Rounds& rounds,
                       std::function<void(const http::Request&)> look_again) {
    const auto found = std::ranges::find(methods, "Artifacts/ReadSlice", &Method::name);
    if (found == methods.end()) {
        throw Error(ErrorCode::Internal, "there is no Artifacts/ReadSlice");
    }
    return {
        .path = "/v1/slices",
        .methods = "POST",
        .body_bytes = kMaxRequestJson,
        .later = [&method = *found, &line, &rounds, look_again = std::move(look_again)](
                     const http::Request& request, http::Done done) {
            request.check_query({});
            http::Request head = request;
            head.body.clear();
            std::make_shared<SliceStream>(
                Stream::Setup{method, parse(*method.descriptor->input_type(), request.body, "body"),
                              std::move(head), std::move(done), look_again})
                ->start(line, rounds);
        }};
}

}  // namespace kaname::gateway
