// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/voxel_waves/voxel_waves_kind.hpp"

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
namespace {

using google::protobuf::Message;

constexpr const char* kSolve = "solve";
constexpr const char* kPackage = "package";
// Changes with what is computed of the same specification.
constexpr const char* kVersion = "voxel waves 1\n";

class VoxelWavesRequest final : public Request {
public:
    explicit VoxelWavesRequest(v1::VoxelWaves waves) : waves_(std::move(waves)) {}

    [[nodiscard]] const Message& message() const override { return waves_; }
    [[nodiscard]] const std::string& name() const override { return waves_.name(); }
    [[nodiscard]] std::string chosen() const override { return ""; }
    [[nodiscard]] TaskGraph graph() const override { return voxel_waves_graph(waves_); }
    [[nodiscard]] Description describe() const override {
        Description found;
        found.physics = "waves";
        for (const v1::WaveReceiver& receiver : waves_.receivers()) {
            found.stations.push_back(receiver.id());
        }
        if (waves_.has_structure()) {
            found.structure_sha256 = sha256_hex(canonical_text(waves_.structure()));
        } else {
            found.structure_sha256 = sha256_hex(canonical_text(waves_.model()));
        }
        std::vector<GeoPoint> places;
        const auto add = [&](const v1::WavePlace& at) {
            if (at.has_lon_deg()) {
                places.push_back({at.lon_deg(), at.lat_deg()});
            }
        };
        for (const v1::WaveSource& source : waves_.sources()) {
            add(source.at());
        }
        for (const v1::WaveReceiver& receiver : waves_.receivers()) {
            add(receiver.at());
        }
        found.place = geo_box_of(places);
        return found;
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return {{kSolve, estimate.setup_s(), estimate.each_pack_s()},
                {kPackage, 0.0, estimate.package_s()}};
    }
    void settle(const v1::Estimate&) override {}

private:
    v1::VoxelWaves waves_;
};

class VoxelWavesKind final : public Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name()};
    }
    [[nodiscard]] const Message& prototype() const override {
        return v1::VoxelWaves::default_instance();
    }
    [[nodiscard]] std::string result_file() const override { return kSeismogramsFile; }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        v1::VoxelWaves waves = dynamic_cast<const v1::VoxelWaves&>(message);
        waves.clear_name();
        waves.clear_description();
        return sha256_hex(canonical_text(waves));
    }
    [[nodiscard]] std::unique_ptr<Request> check(const Message& message) const override {
        return std::make_unique<VoxelWavesRequest>(
            check_voxel_waves(dynamic_cast<const v1::VoxelWaves&>(message)));
    }
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const override {
        return std::make_unique<VoxelWavesRequest>(load_voxel_waves(path));
    }
    [[nodiscard]] std::unique_ptr<Request> check_read(const Message& message,
                                                      YamlReading reading) const override {
        return std::make_unique<VoxelWavesRequest>(
            check_voxel_waves(dynamic_cast<const v1::VoxelWaves&>(message), std::move(reading)));
    }
};

}  // namespace

TaskGraph voxel_waves_graph(const v1::VoxelWaves& waves) {
    const std::string shared = kVersion + canonical_voxel_waves(waves, false);
    TaskGraph graph;
    Task package{.verb = kPackage,
                 .label = kPackage,
                 .key = sha256_hex(kVersion + canonical_voxel_waves(waves, true))};
    for (const v1::WaveSource& source : waves.sources()) {
        graph.tasks.push_back({.verb = kSolve,
                               .label = source.id(),
                               .key = sha256_hex(shared + canonical_text(source)),
                               .compat_key = sha256_hex(shared),
                               .pool = kSolvePool,
                               .source = true,
                               .session = true});
        package.gathers.push_back(graph.tasks.back().key);
    }
    graph.tasks.push_back(std::move(package));
    return graph;
}

const Kind& voxel_waves_kind() {
    static const VoxelWavesKind kind;
    return kind;
}

}  // namespace kaname::spec
