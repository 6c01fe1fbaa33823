// SPDX-License-Identifier: BSD-3-Clause
#include "tests/toy/request/half_space_kind.hpp"

#include <set>

#include "proto/request/form/json.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/toy/half_space.pb.h"

namespace kaname::toy {
namespace {

using google::protobuf::Message;

void check_half_space(const HalfSpace& wanted) {
    request::Rules rules;
    if (!request::is_name(wanted.name())) {
        rules.fail("name", "must be 1 to 63 lower-case letters, digits and hyphens, got " +
                               request::quote(wanted.name()));
    }
    rules.positive("lambda_pa", wanted.lambda_pa());
    rules.positive("mu_pa", wanted.mu_pa());
    std::set<std::string> names;
    for (int k = 0; k < wanted.faults_size(); ++k) {
        const HalfSpace::Rectangle& fault = wanted.faults(k);
        const std::string field = request::element("faults", k) + ".";
        if (fault.name().empty() || !names.insert(fault.name()).second) {
            rules.fail(field + "name",
                       "must be given and unique, got " + request::quote(fault.name()));
        }
        rules.not_negative(field + "top_depth_m", fault.top_depth_m());
        rules.positive(field + "dip_deg", fault.dip_deg());
        rules.in_range(field + "dip_deg", fault.dip_deg(), 0.0, 90.0);
        rules.positive(field + "length_m", fault.length_m());
        rules.positive(field + "width_m", fault.width_m());
    }
    rules.given("faults", wanted.faults_size() > 0);
    rules.given("stations", wanted.stations_size() > 0);
    request::every_number_finite(wanted, "", rules);
    if (auto broken = rules.take(); !broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

std::string key_of(const std::string& stage, const HalfSpace& part) {
    return sha256_hex("half-space " + stage + " 1\n" + request::canonical_text(part));
}

class HalfSpaceRequest final : public request::Request {
public:
    explicit HalfSpaceRequest(HalfSpace wanted) : wanted_(std::move(wanted)) {
        check_half_space(wanted_);
    }

    [[nodiscard]] const Message& message() const override { return wanted_; }
    [[nodiscard]] const std::string& name() const override { return wanted_.name(); }
    [[nodiscard]] std::string chosen() const override { return ""; }
    [[nodiscard]] request::TaskGraph graph() const override {
        request::TaskGraph graph;
        request::Task collect{.verb = "collect", .label = "dataset", .key = key_of("set", wanted_)};
        for (const HalfSpace::Rectangle& fault : wanted_.faults()) {
            HalfSpace alone = wanted_;
            alone.clear_name();
            alone.clear_faults();
            *alone.add_faults() = fault;
            graph.tasks.push_back({.verb = "displace",
                                   .label = fault.name(),
                                   .key = key_of("source", alone),
                                   .source = true});
            collect.gathers.push_back(graph.tasks.back().key);
        }
        graph.tasks.push_back(std::move(collect));
        return graph;
    }
    [[nodiscard]] std::vector<request::VerbTime> times(
        const v1::Estimate& estimate) const override {
        return {{"displace", 0.0, estimate.each_pack_s()}, {"collect", 0.0, estimate.package_s()}};
    }
    void settle(const v1::Estimate&) override {}

private:
    HalfSpace wanted_;
};

class HalfSpaceKind final : public request::Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name()};
    }
    [[nodiscard]] const Message& prototype() const override {
        return HalfSpace::default_instance();
    }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        HalfSpace unlabelled = dynamic_cast<const HalfSpace&>(message);
        unlabelled.clear_name();
        return sha256_hex(request::canonical_text(unlabelled));
    }
    [[nodiscard]] std::unique_ptr<request::Request> check(const Message& message) const override {
        return std::make_unique<HalfSpaceRequest>(dynamic_cast<const HalfSpace&>(message));
    }
    [[nodiscard]] std::unique_ptr<request::Request> load(const std::string& path) const override {
        HalfSpace wanted;
        const request::YamlReading reading =
            request::scan_yaml(request::read_text_file(path), path, wanted);
        if (!reading.violations.empty()) {
            throw ValidationError(reading.violations);
        }
        return check(wanted);
    }
};

}  // namespace

const request::Kind& half_space_kind() {
    static const HalfSpaceKind kind;
    return kind;
}

}  // namespace kaname::toy
