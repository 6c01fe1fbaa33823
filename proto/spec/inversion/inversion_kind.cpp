// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/inversion/inversion_kind.hpp"

#include <set>

#include "proto/spec/inversion/load_inversion.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
namespace {

using google::protobuf::Message;

constexpr const char* kInvert = "invert";
// Changes with what is computed of the same specification.
constexpr const char* kVersion = "inversion 1\n";

class InversionRequest final : public Request {
public:
    explicit InversionRequest(LoadedInversion spec) : spec_(std::move(spec)) {}

    [[nodiscard]] const Message& message() const override { return spec_.inversion; }
    [[nodiscard]] const std::string& name() const override { return spec_.inversion.name(); }
    [[nodiscard]] std::string chosen() const override { return spec_.chosen; }
    [[nodiscard]] TaskGraph graph() const override {
        const std::string text = canonical_inversion(spec_.inversion, false);
        return {{{.verb = kInvert, .label = "inversion", .key = sha256_hex(kVersion + text)}}};
    }
    [[nodiscard]] Description describe() const override {
        Description found;
        found.physics = "inversion";
        std::set<std::string> stations;
        std::vector<GeoPoint> places;
        for (const ObservationTable& table : spec_.tables) {
            for (const Observation& row : table.rows) {
                if (!row.station.empty()) {
                    stations.insert(row.station);
                }
                if (row.lon_deg && row.lat_deg) {
                    places.push_back({*row.lon_deg, *row.lat_deg});
                }
            }
        }
        found.stations.assign(stations.begin(), stations.end());
        found.place = geo_box_of(places);
        return found;
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return {{kInvert, 0.0, estimate.solve_s()}};
    }
    void settle(const v1::Estimate&) override {}

private:
    LoadedInversion spec_;
};

class InversionKind final : public Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name()};
    }
    [[nodiscard]] const Message& prototype() const override {
        return v1::Inversion::default_instance();
    }
    [[nodiscard]] std::string result_file() const override { return kInversionFile; }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        return sha256_hex(canonical_inversion(dynamic_cast<const v1::Inversion&>(message), false));
    }
    [[nodiscard]] std::unique_ptr<Request> check(const Message& message) const override {
        return std::make_unique<InversionRequest>(
            check_inversion(dynamic_cast<const v1::Inversion&>(message)));
    }
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const override {
        return std::make_unique<InversionRequest>(load_inversion(path));
    }
    [[nodiscard]] std::unique_ptr<Request> check_read(const Message& message,
                                                      YamlReading reading) const override {
        return std::make_unique<InversionRequest>(
            check_inversion(dynamic_cast<const v1::Inversion&>(message), std::move(reading)));
    }
};

}  // namespace

const Kind& inversion_kind() {
    static const InversionKind kind;
    return kind;
}

}  // namespace kaname::spec
