// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/rupture/rupture_kind.hpp"

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/rupture/load_rupture.hpp"
#include "proto/spec/waves/wave_requests.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
namespace {

using google::protobuf::Message;

// Changes with what is computed of the same specification.
constexpr const char* kVersion = "rupture 1\n";

class RuptureRequest final : public Request {
public:
    explicit RuptureRequest(v1::Rupture rupture) : rupture_(std::move(rupture)) {}

    [[nodiscard]] const Message& message() const override { return rupture_; }
    [[nodiscard]] const std::string& name() const override { return rupture_.name(); }
    [[nodiscard]] std::string chosen() const override { return ""; }
    [[nodiscard]] TaskGraph graph() const override { return rupture_graph(rupture_); }
    [[nodiscard]] Description describe() const override {
        std::vector<v1::WavePlace> places;
        std::vector<std::string> faults;
        for (const v1::RuptureFault& fault : rupture_.faults()) {
            faults.push_back(fault.id());
            places.push_back(fault.plane().at());
            places.insert(places.end(), fault.interface().outline().begin(),
                          fault.interface().outline().end());
        }
        Description found = describe_waves(rupture_.receivers(),
                                           canonical_text(rupture_.structure()), std::move(places));
        found.physics = "rupture";
        found.faults = std::move(faults);
        return found;
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return wave_times(estimate);
    }
    void settle(const v1::Estimate&) override {}

private:
    v1::Rupture rupture_;
};

class RuptureKind final : public Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name()};
    }
    [[nodiscard]] const Message& prototype() const override {
        return v1::Rupture::default_instance();
    }
    [[nodiscard]] std::string result_file() const override { return kRuptureFile; }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        v1::Rupture rupture = dynamic_cast<const v1::Rupture&>(message);
        rupture.clear_name();
        rupture.clear_description();
        return sha256_hex(canonical_text(rupture));
    }
    [[nodiscard]] std::unique_ptr<Request> check(const Message& message) const override {
        return std::make_unique<RuptureRequest>(
            check_rupture(dynamic_cast<const v1::Rupture&>(message)));
    }
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const override {
        return std::make_unique<RuptureRequest>(load_rupture(path));
    }
    [[nodiscard]] std::unique_ptr<Request> check_read(const Message& message,
                                                      YamlReading reading) const override {
        return std::make_unique<RuptureRequest>(
            check_rupture(dynamic_cast<const v1::Rupture&>(message), std::move(reading)));
    }
};

}  // namespace

TaskGraph rupture_graph(const v1::Rupture& rupture) {
    return wave_graph({{kRuptureEvent, ""}}, kVersion, event_text(rupture), canonical_text(rupture),
                      mesh_text(rupture));
}

const Kind& rupture_kind() {
    static const RuptureKind kind;
    return kind;
}

}  // namespace kaname::spec
