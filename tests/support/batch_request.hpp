// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "proto/request/form/request.hpp"
#include "proto/request/greens/greens_kind.hpp"

namespace kaname {

/// A request for Green's functions that was not checked, for tests that compute nothing.
class BatchRequest final : public request::Request {
public:
    explicit BatchRequest(v1::GreensBatch batch) { loaded_.batch = std::move(batch); }

    [[nodiscard]] const google::protobuf::Message& message() const override {
        return loaded_.batch;
    }
    [[nodiscard]] const std::string& name() const override { return loaded_.batch.name(); }
    [[nodiscard]] std::string chosen() const override { return ""; }
    [[nodiscard]] request::TaskGraph graph() const override {
        return request::greens_graph(loaded_);
    }
    [[nodiscard]] std::vector<request::VerbTime> times(const v1::Estimate&) const override {
        return {};
    }
    void settle(const v1::Estimate&) override {}

private:
    request::LoadedBatch loaded_;
};

}  // namespace kaname
