// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/rupture/load_rupture.hpp"

#include <cmath>
#include <filesystem>
#include <iterator>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/stations.hpp"
#include "proto/request/waves/wave_requests.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

constexpr double kEnergies = 100.0;  ///< energies from the beginning to the end

/// Puts what top_centre or centre says into at and top_depth_m, if the point is the only one and
/// has all that it takes. Strike counts from north at the middle of the upper edge.
void settle_point(v1::RupturePlane& plane) {
    if (plane.has_at() || plane.has_top_depth_m() || plane.has_top_centre() == plane.has_centre()) {
        return;
    }
    v1::WavePlace at = plane.has_centre() ? plane.centre() : plane.top_centre();
    const bool flat = at.has_x_m() && at.has_y_m() && at.has_z_m() && !at.has_lon_deg() &&
                      !at.has_lat_deg() && !at.has_depth_m();
    if (!flat && !is_whole(at)) {
        return;
    }
    double depth_m = flat ? -at.z_m() : at.depth_m();
    if (plane.has_centre()) {
        const double across_m = 0.5 * plane.width_m() * std::cos(plane.dip_deg() * kDegree);
        depth_m -= 0.5 * plane.width_m() * std::sin(plane.dip_deg() * kDegree);
        const double strike = plane.strike_deg() * kDegree;
        if (flat) {
            at.set_x_m(at.x_m() - across_m * std::cos(strike));
            at.set_y_m(at.y_m() + across_m * std::sin(strike));
        } else {
            const LonLat top =
                moved_to({at.lon_deg(), at.lat_deg()}, plane.strike_deg() - 90.0, across_m);
            at.set_lon_deg(top.lon_deg);
            at.set_lat_deg(top.lat_deg);
        }
    }
    if (!(depth_m >= 0.0)) {
        return;
    }
    at.clear_z_m();
    at.clear_depth_m();
    *plane.mutable_at() = std::move(at);
    plane.set_top_depth_m(depth_m);
    plane.clear_centre();
    plane.clear_top_centre();
}

void fill_fault(v1::RuptureFault& fault) {
    if (fault.has_plane()) {
        settle_point(*fault.mutable_plane());
    }
    if (fault.friction().law().empty()) {
        fault.mutable_friction()->set_law(kSlipWeakening);
    }
}

/// A fault that is not named is the only one.
template <class List>
void name_fault(const std::string& only, List& list) {
    for (auto& entry : list) {
        if (entry.fault().empty()) {
            entry.set_fault(only);
        }
    }
}

void fill_defaults(v1::Rupture& rupture) {
    fill_constants(rupture);
    v1::SeismicWaves waves = setting_of(rupture);
    fill_setting(waves);
    if (waves.has_attenuation()) {
        *rupture.mutable_attenuation() = waves.attenuation();
    }
    *rupture.mutable_mesh() = waves.mesh();
    *rupture.mutable_boundaries() = waves.boundaries();
    *rupture.mutable_time() = waves.time();
    *rupture.mutable_solver() = waves.solver();
    *rupture.mutable_output() = waves.output();
    settle_sources(*rupture.mutable_sources(), rupture.structure());
    for (v1::RuptureFault& fault : *rupture.mutable_faults()) {
        fill_fault(fault);
    }
    if (rupture.faults_size() == 1) {
        const std::string only = rupture.faults(0).id();
        name_fault(only, *rupture.mutable_fault_receivers());
        if (rupture.has_nucleation()) {
            name_fault(only, *rupture.mutable_nucleation()->mutable_stress());
            name_fault(only, *rupture.mutable_nucleation()->mutable_forced());
        }
    }
    v1::FaultOutput& output = *rupture.mutable_fault_output();
    if (output.energy_interval_s() == 0.0) {
        output.set_energy_interval_s(rupture.time().end_s() / kEnergies);
    }
}

v1::Rupture finish(v1::Rupture rupture, YamlReading reading, const std::filesystem::path& folder) {
    std::vector<Violation> in_files = resolve_files(rupture, folder);
    take_receivers(*rupture.mutable_receiver_files(), *rupture.mutable_receivers(), in_files);
    fill_defaults(rupture);
    std::vector<Violation> broken = validate(rupture, unit_factor_of(reading));
    std::move(in_files.begin(), in_files.end(), std::back_inserter(broken));
    throw_if_broken(std::move(broken), std::move(reading));
    return rupture;
}

}  // namespace

v1::Rupture load_rupture(const std::string& path) {
    v1::Rupture rupture;
    YamlReading reading = scan_yaml(read_text_file(path), path, rupture);
    return finish(std::move(rupture), std::move(reading),
                  std::filesystem::absolute(path).parent_path());
}

v1::Rupture check_rupture(v1::Rupture rupture, YamlReading reading) {
    return finish(std::move(rupture), std::move(reading), "/");
}

v1::SeismicWaves setting_of(const v1::Rupture& rupture) {
    v1::SeismicWaves waves;
    waves.set_name(rupture.name());
    waves.set_description(rupture.description());
    if (rupture.has_box()) {
        *waves.mutable_box() = rupture.box();
    }
    if (rupture.has_region()) {
        *waves.mutable_region() = rupture.region();
    }
    if (rupture.has_structure()) {
        *waves.mutable_structure() = rupture.structure();
    }
    if (rupture.has_attenuation()) {
        *waves.mutable_attenuation() = rupture.attenuation();
    }
    *waves.mutable_mesh() = rupture.mesh();
    *waves.mutable_boundaries() = rupture.boundaries();
    *waves.mutable_sources() = rupture.sources();
    *waves.mutable_receivers() = rupture.receivers();
    *waves.mutable_time() = rupture.time();
    *waves.mutable_solver() = rupture.solver();
    *waves.mutable_output() = rupture.output();
    return waves;
}

std::string mesh_text(const v1::Rupture& rupture) {
    v1::Rupture faults;
    for (const v1::RuptureFault& fault : rupture.faults()) {
        v1::RuptureFault& kept = *faults.add_faults();
        kept.set_id(fault.id());
        if (fault.has_plane()) {
            *kept.mutable_plane() = fault.plane();
        }
        if (fault.has_interface()) {
            *kept.mutable_interface() = fault.interface();
        }
        if (fault.has_physical_surface()) {
            *kept.mutable_physical_surface() = fault.physical_surface();
        }
        kept.set_element_size_m(fault.element_size_m());
    }
    return mesh_text(setting_of(rupture)) + '\n' + canonical_text(faults);
}

std::string event_text(const v1::Rupture& rupture) {
    v1::Rupture copy = rupture;
    copy.clear_name();
    copy.clear_description();
    copy.mutable_mesh()->clear_max_elements();
    copy.mutable_output()->clear_checkpoint();
    copy.mutable_output()->clear_checkpoint_interval_s();
    return canonical_text(copy);
}

namespace {

using google::protobuf::Message;

// Changes with what is computed of the same request.
constexpr const char* kVersion = "rupture 1\n";

class RuptureRequest final : public WavesRequest<v1::Rupture, rupture_graph> {
public:
    using WavesRequest::WavesRequest;

    [[nodiscard]] Description describe() const override {
        std::vector<v1::WavePlace> places;
        std::vector<std::string> faults;
        for (const v1::RuptureFault& fault : waves_.faults()) {
            faults.push_back(fault.id());
            places.push_back(fault.plane().at());
            places.insert(places.end(), fault.interface().outline().begin(),
                          fault.interface().outline().end());
        }
        for (const v1::SeismicSource& source : waves_.sources()) {
            places.push_back(source.at());
            add_places(source.patches(), places);
        }
        Description found = describe_waves(waves_.receivers(), canonical_text(waves_.structure()),
                                           std::move(places));
        found.physics = "rupture";
        found.faults = std::move(faults);
        return found;
    }
};

class RuptureKind final : public KindOf<v1::Rupture, RuptureRequest, check_rupture, load_rupture> {
public:
    [[nodiscard]] std::string result_file() const override { return kRuptureFile; }
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

const std::vector<std::string>& friction_laws() {
    static const std::vector<std::string> laws = choices_of(*v1::Friction::descriptor(), "law");
    return laws;
}

const std::vector<FrictionNumber>& friction_numbers() {
    static const std::vector<std::string_view> rate_and_state = {kAgeing, kSlipLaw, kFastWeakening};
    static const std::vector<FrictionNumber> numbers = {
        {"static", true, {kSlipWeakening}},
        {"dynamic", true, {kSlipWeakening}},
        {"slip_weakening_m", true, {kSlipWeakening}},
        {"cohesion_pa", false, {kSlipWeakening}},
        {"a", true, rate_and_state},
        {"b", true, rate_and_state},
        {"state_slip_m", true, rate_and_state},
        {"reference_friction", false, rate_and_state},
        {"reference_rate_m_per_s", false, rate_and_state},
        {"initial_rate_m_per_s", true, rate_and_state},
        {"weakened_friction", true, {kFastWeakening}},
        {"weakening_rate_m_per_s", true, {kFastWeakening}},
    };
    return numbers;
}

GivenNumber number_of(const google::protobuf::Message& message, std::string_view field) {
    const auto* number = message.GetDescriptor()->FindFieldByName(std::string(field));
    const auto* reflection = message.GetReflection();
    return {reflection->HasField(message, number), reflection->GetDouble(message, number)};
}

}  // namespace kaname::request
