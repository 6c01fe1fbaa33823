// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/request.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {

/// A request with two verbs of its own: "sample" for each station of the list, by a program that
/// stays, and "bind", which gathers them under the label "book". It borrows the batch's message,
/// which has files, so that no .proto is needed.
class SketchRequest final : public request::Request {
public:
    SketchRequest(v1::GreensBatch wanted, int version)
        : wanted_(std::move(wanted)), version_(version) {}

    [[nodiscard]] const google::protobuf::Message& message() const override { return wanted_; }
    [[nodiscard]] const std::string& name() const override { return wanted_.name(); }
    [[nodiscard]] std::string chosen() const override { return ""; }
    [[nodiscard]] request::TaskGraph graph() const override {
        request::TaskGraph graph;
        request::Task book{
            .verb = "bind", .label = "book", .key = key_of("book " + wanted_.name())};
        for (const v1::Station& station : wanted_.stations().list()) {
            graph.tasks.push_back({.verb = "sample",
                                   .label = station.id(),
                                   .key = key_of("sample " + station.id()),
                                   .compat_key = "samples",
                                   .source = true,
                                   .session = true});
            book.gathers.push_back(graph.tasks.back().key);
        }
        graph.tasks.push_back(std::move(book));
        return graph;
    }
    [[nodiscard]] request::Description describe() const override {
        request::Description found;
        found.physics = "sketch";
        for (const v1::Station& station : wanted_.stations().list()) {
            found.stations.push_back(station.id());
        }
        return found;
    }
    [[nodiscard]] std::vector<request::VerbTime> times(const v1::Estimate&) const override {
        return {{"sample", 0.0, 2.0}, {"bind", 0.0, 1.0}};
    }
    void settle(const v1::Estimate&) override {}

private:
    [[nodiscard]] std::string key_of(const std::string& what) const {
        return sha256_hex("sketch " + std::to_string(version_) + ' ' + what);
    }

    v1::GreensBatch wanted_;
    int version_;
};

/// `version` is of its content keys: another one leads to other work.
class SketchKind final : public request::Kind {
public:
    explicit SketchKind(int version) : version_(version) {}

    [[nodiscard]] std::vector<std::string> schemas() const override { return {"test.Sketch"}; }
    [[nodiscard]] const google::protobuf::Message& prototype() const override {
        return v1::GreensBatch::default_instance();
    }
    [[nodiscard]] std::string result_file() const override { return "book.h5"; }
    [[nodiscard]] std::string content_hash(
        const google::protobuf::Message& message) const override {
        return sha256_hex(message.SerializeAsString());
    }
    [[nodiscard]] std::unique_ptr<request::Request> check(
        const google::protobuf::Message& message) const override {
        return std::make_unique<SketchRequest>(dynamic_cast<const v1::GreensBatch&>(message),
                                               version_);
    }
    [[nodiscard]] std::unique_ptr<request::Request> load(const std::string& path) const override {
        throw Error(ErrorCode::NotFound, path + ": sketches are made, not read");
    }

private:
    int version_;
};

}  // namespace kaname::service
