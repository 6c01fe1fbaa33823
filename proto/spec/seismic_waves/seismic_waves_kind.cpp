// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/seismic_waves/seismic_waves_kind.hpp"

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"
#include "proto/spec/seismic_waves/seismic_green.hpp"
#include "proto/spec/waves/wave_requests.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
namespace {

using google::protobuf::Message;

// Changes with what is computed of the same specification.
constexpr const char* kVersion = "seismic waves 1\n";

class SeismicWavesRequest final : public Request {
public:
    explicit SeismicWavesRequest(v1::SeismicWaves waves) : waves_(std::move(waves)) {}

    [[nodiscard]] const Message& message() const override { return waves_; }
    [[nodiscard]] const std::string& name() const override { return waves_.name(); }
    [[nodiscard]] std::string chosen() const override { return ""; }
    [[nodiscard]] TaskGraph graph() const override { return seismic_waves_graph(waves_); }
    [[nodiscard]] Description describe() const override {
        std::vector<v1::WavePlace> places;
        for (const v1::SeismicSource& source : waves_.sources()) {
            places.push_back(source.at());
        }
        for (const v1::WaveReceiver& point : waves_.green().points()) {
            places.push_back(point.at());
        }
        if (waves_.green().has_grid()) {
            places.push_back(waves_.green().grid().from());
            places.push_back(waves_.green().grid().to());
        }
        return describe_waves(waves_.receivers(), canonical_text(waves_.structure()),
                              std::move(places));
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return wave_times(estimate);
    }
    void settle(const v1::Estimate&) override {}

private:
    v1::SeismicWaves waves_;
};

class SeismicWavesKind final : public Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name()};
    }
    [[nodiscard]] const Message& prototype() const override {
        return v1::SeismicWaves::default_instance();
    }
    [[nodiscard]] std::string result_file() const override { return kSeismogramsFile; }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        v1::SeismicWaves waves = dynamic_cast<const v1::SeismicWaves&>(message);
        waves.clear_name();
        waves.clear_description();
        return sha256_hex(canonical_text(waves));
    }
    [[nodiscard]] std::unique_ptr<Request> check(const Message& message) const override {
        return std::make_unique<SeismicWavesRequest>(
            check_seismic_waves(dynamic_cast<const v1::SeismicWaves&>(message)));
    }
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const override {
        return std::make_unique<SeismicWavesRequest>(load_seismic_waves(path));
    }
    [[nodiscard]] std::unique_ptr<Request> check_read(const Message& message,
                                                      YamlReading reading) const override {
        return std::make_unique<SeismicWavesRequest>(check_seismic_waves(
            dynamic_cast<const v1::SeismicWaves&>(message), std::move(reading)));
    }
};

}  // namespace

TaskGraph seismic_waves_graph(const v1::SeismicWaves& waves) {
    std::vector<WaveTask> sources;
    if (is_reciprocal(waves)) {
        const std::vector<std::string> ids = force_ids(waves);
        for (std::size_t k = 0; k < ids.size(); ++k) {
            const v1::WaveReceiver& receiver = waves.receivers(static_cast<int>(k / 3));
            sources.push_back({ids[k], canonical_text(receiver.at()) + "xyz"[k % 3]});
        }
    } else {
        for (const ListedSource& listed : listed_sources(waves)) {
            sources.push_back({listed.source.id(), canonical_text(listed.source)});
        }
    }
    return wave_graph(sources, kVersion, shared_text(waves), whole_text(waves), mesh_text(waves));
}

const Kind& seismic_waves_kind() {
    static const SeismicWavesKind kind;
    return kind;
}

}  // namespace kaname::spec
