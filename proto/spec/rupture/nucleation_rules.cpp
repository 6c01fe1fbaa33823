// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "proto/spec/rupture/friction_numbers.hpp"
#include "proto/spec/rupture/rupture_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"

namespace kaname::spec {
namespace {

/// The fault of that id; null where there is none, which is told.
const v1::RuptureFault* find_fault(const v1::Rupture& rupture, const std::string& id,
                                   const std::string& path, Rules& rules) {
    std::vector<std::string> known;
    for (const v1::RuptureFault& fault : rupture.faults()) {
        if (fault.id() == id) {
            return &fault;
        }
        known.push_back(fault.id());
    }
    rules.one_of(path + ".fault", id, known);
    return nullptr;
}

template <class Zone>
const v1::RuptureFault* check_zone(const v1::Rupture& rupture, const Zone& zone,
                                   const std::string& path, Rules& rules) {
    rules.given(path + ".along_m", zone.has_along_m());
    rules.given(path + ".down_m", zone.has_down_m());
    return find_fault(rupture, zone.fault(), path, rules);
}

}  // namespace

void check_nucleation(const v1::Rupture& rupture, Rules& rules) {
    const v1::Nucleation& nucleation = rupture.nucleation();
    for (int k = 0; k < nucleation.stress_size(); ++k) {
        const v1::NucleationStress& zone = nucleation.stress(k);
        const std::string path = element("nucleation.stress", k);
        (void)check_zone(rupture, zone, path, rules);
        rules.positive(path + ".radius_m", zone.radius_m());
        if (zone.strike_pa() == 0.0 && zone.dip_pa() == 0.0) {
            rules.fail(path + ".strike_pa", "or dip_pa must be given, and not 0");
        }
    }
    rules.not_negative("nucleation.stress_duration_s", nucleation.stress_duration_s());
    if (nucleation.stress().empty() && nucleation.stress_duration_s() != 0.0) {
        rules.fail("nucleation.stress_duration_s", "must be left out without nucleation.stress");
    }
    for (int k = 0; k < nucleation.forced_size(); ++k) {
        const v1::ForcedRupture& zone = nucleation.forced(k);
        const std::string path = element("nucleation.forced", k);
        const v1::RuptureFault* fault = check_zone(rupture, zone, path, rules);
        rules.positive(path + ".radius_m", zone.radius_m());
        rules.positive(path + ".speed_m_per_s", zone.speed_m_per_s());
        if (fault != nullptr && fault->friction().law() != kSlipWeakening) {
            rules.fail(path, "must be on a fault whose friction has the law " +
                                 std::string(kSlipWeakening) + ", got " +
                                 quote(fault->friction().law()));
        }
    }
    rules.not_negative("nucleation.forced_duration_s", nucleation.forced_duration_s());
    const auto& receivers = rupture.fault_receivers();
    if (!receivers.empty()) {
        check_wave_ids(receivers, "fault_receivers", rules);
    }
    for (int k = 0; k < receivers.size(); ++k) {
        (void)check_zone(rupture, receivers[k], element("fault_receivers", k), rules);
    }
}

}  // namespace kaname::spec
