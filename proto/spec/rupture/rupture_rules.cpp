// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/rupture/rupture_rules.hpp"

#include "proto/spec/form/text.hpp"
#include "proto/spec/rupture/load_rupture.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/wave_requests.hpp"

namespace kaname::spec {
namespace {

void check_plasticity(const v1::Rupture& rupture, Rules& rules) {
    if (!rupture.has_plasticity()) {
        return;
    }
    const v1::RupturePlasticity& rock = rupture.plasticity();
    const std::string path = "plasticity";
    if (rupture.stress_tensor().empty()) {
        rules.fail("stress_tensor", "must be given for plasticity: it is the stress at rest");
    }
    if (rock.cohesion_by_depth().empty()) {
        if (rules.given(path + ".cohesion_pa", rock.has_cohesion_pa())) {
            rules.not_negative(path + ".cohesion_pa", rock.cohesion_pa());
        }
    } else if (rock.has_cohesion_pa()) {
        rules.fail(path + ".cohesion_pa", "must be left out beside cohesion_by_depth");
    }
    check_depths(rock.cohesion_by_depth(), path + ".cohesion_by_depth", rules);
    for (int k = 0; k < rock.cohesion_by_depth_size(); ++k) {
        const std::string field = element(path + ".cohesion_by_depth", k) + ".cohesion_pa";
        if (rules.given(field, rock.cohesion_by_depth(k).has_cohesion_pa())) {
            rules.not_negative(field, rock.cohesion_by_depth(k).cohesion_pa());
        }
    }
    if (rock.has_friction() == rock.has_friction_angle_deg()) {
        rules.fail(path + ".friction",
                   "exactly one of friction and friction_angle_deg must be "
                   "given, got " +
                       std::string(rock.has_friction() ? "both" : "none"));
    }
    rules.not_negative(path + ".friction", rock.friction());
    constexpr double kSteepest_deg = 89.0;
    rules.in_range(path + ".friction_angle_deg", rock.friction_angle_deg(), 0.0, kSteepest_deg);
    if (rules.given(path + ".relaxation_s", rock.has_relaxation_s())) {
        rules.not_negative(path + ".relaxation_s", rock.relaxation_s());
    }
}

void check_fault_output(const v1::Rupture& rupture, Rules& rules) {
    const v1::FaultOutput& output = rupture.fault_output();
    check_snapshots(output.snapshots_s(), "fault_output.snapshots_s", rupture.time().end_s(),
                    rules);
    if (!output.snapshots_s().empty() && output.interval_s() != 0.0) {
        rules.fail("fault_output.interval_s", "must be left out beside snapshots_s");
    }
    rules.not_negative("fault_output.interval_s", output.interval_s());
    if (output.interval_s() > 0.0 &&
        rupture.time().end_s() / output.interval_s() > kMostSnapshots) {
        rules.fail("fault_output.interval_s",
                   "must leave at most " + std::to_string(kMostSnapshots) + " snapshots, got " +
                       show(rupture.time().end_s() / output.interval_s()));
    }
    rules.positive("fault_output.rupture_rate_m_per_s", output.rupture_rate_m_per_s());
    // 0 is what a default without an end comes to, which is complained of itself.
    rules.not_negative("fault_output.energy_interval_s", output.energy_interval_s());
}

}  // namespace

std::vector<Violation> validate(const v1::Rupture& rupture, const UnitFactor& unit_factor) {
    Rules rules(unit_factor);
    check_head(rupture.schema(), v1::Rupture::descriptor()->full_name(), rupture.name(), rules);
    check_seismic_setting(setting_of(rupture), rules);
    check_seismic_receivers(setting_of(rupture), rules);
    check_faults(rupture, rules);
    check_depths(rupture.stress_tensor(), "stress_tensor", rules);
    check_nucleation(rupture, rules);
    check_plasticity(rupture, rules);
    check_fault_output(rupture, rules);
    every_number_finite(rupture, "", rules);
    return rules.take();
}

}  // namespace kaname::spec
