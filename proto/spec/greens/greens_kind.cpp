// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/greens_kind.hpp"

#include "proto/spec/greens/canonical_batch.hpp"
#include "proto/spec/greens/describe.hpp"
#include "proto/spec/greens/plan.hpp"
#include "proto/spec/greens/scenario.hpp"

namespace kaname::spec {
namespace {

using google::protobuf::Message;

constexpr const char* kMesh = "mesh";
constexpr const char* kSolve = "solve";
constexpr const char* kPackage = "package";

class GreensRequest final : public Request {
public:
    explicit GreensRequest(LoadedSpec spec) : spec_(std::move(spec)) {}

    [[nodiscard]] const Message& message() const override { return spec_.batch; }
    [[nodiscard]] const std::string& name() const override { return spec_.batch.name(); }
    [[nodiscard]] std::string chosen() const override { return spec_.chosen; }
    [[nodiscard]] TaskGraph graph() const override { return greens_graph(spec_); }
    [[nodiscard]] Description describe() const override { return spec::describe(spec_); }
    [[nodiscard]] std::string estimate_key() const override {
        // With steps that are given, what relaxes takes as long whatever its viscosity is.
        v1::GreensBatch batch = spec_.batch;
        if (batch.time().step_s() > 0.0) {
            for (v1::Material& material : *batch.mutable_structure()->mutable_materials()) {
                if (material.has_viscosity_pa_s()) {
                    material.set_viscosity_pa_s(1.0);
                }
            }
        }
        return spec::content_hash(batch);
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return {{kMesh, 0.0, estimate.mesh_s()},
                {kSolve, estimate.setup_s(), estimate.each_pack_s()},
                {kPackage, 0.0, estimate.package_s()}};
    }
    void settle(const v1::Estimate& found) override {
        if (found.has_surface_stored() && !found.surface_stored()) {
            spec_.batch.mutable_output()->set_surface(kSurfaceNone);
        }
    }

private:
    LoadedSpec spec_;
};

class GreensKind final : public Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name(), kScenarioSchema};
    }
    [[nodiscard]] const Message& prototype() const override {
        return v1::GreensBatch::default_instance();
    }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        return spec::content_hash(dynamic_cast<const v1::GreensBatch&>(message));
    }
    [[nodiscard]] std::unique_ptr<Request> check(const Message& message) const override {
        return std::make_unique<GreensRequest>(
            load_batch(dynamic_cast<const v1::GreensBatch&>(message)));
    }
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const override {
        return std::make_unique<GreensRequest>(load_spec(path));
    }
    [[nodiscard]] std::unique_ptr<Request> check_read(const Message& message,
                                                      YamlReading reading) const override {
        return std::make_unique<GreensRequest>(
            load_batch(dynamic_cast<const v1::GreensBatch&>(message), std::move(reading)));
    }
};

}  // namespace

TaskGraph greens_graph(const LoadedSpec& spec) {
    const Plan plan = make_plan(spec);
    TaskGraph graph;
    Task package{.verb = kPackage, .label = kPackage, .key = plan.package_key};
    package.needs = {plan.mesh_key};
    for (const PlannedSource& source : plan.forces.empty() ? plan.sources : plan.forces) {
        graph.tasks.push_back({.verb = kSolve,
                               .label = source.id,
                               .key = source.key,
                               .compat_key = plan.compat_key,
                               .pool = kSolvePool,
                               .needs = {plan.mesh_key},
                               .source = true,
                               .session = true});
        package.gathers.push_back(source.key);
    }
    graph.tasks.push_back({.verb = kMesh, .label = kMesh, .key = plan.mesh_key});
    graph.tasks.push_back(std::move(package));
    return graph;
}

const Kind& greens_kind() {
    static const GreensKind kind;
    return kind;
}

}  // namespace kaname::spec
