// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "proto/spec/rupture/friction_numbers.hpp"
#include "proto/spec/rupture/rupture_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"

namespace kaname::spec {
namespace {

/// Which of a law's numbers must be there.
enum class Numbers {
    All,     ///< those without a default
    Some,    ///< a table may have the others
    Changes  ///< of a part of a fault: at least none, and no law
};

void check_friction(const v1::Friction& friction, const std::string& law, Numbers numbers,
                    const std::string& path, Rules& rules) {
    if (numbers == Numbers::Changes && !friction.law().empty()) {
        rules.fail(path + ".law", "must be left out: it is that of the whole fault");
    }
    for (const FrictionNumber& number : friction_numbers()) {
        const std::string field = path + "." + std::string(number.field);
        const auto [given, value] = number_of(friction, number.field);
        const bool read = std::ranges::find(number.laws, law) != number.laws.end();
        if (given && !read) {
            rules.fail(field, "must be left out of friction by the law " + law);
        } else if (read && number.needed && numbers == Numbers::All) {
            rules.given(field, given);
        }
        if (given && read && (value < number.least || (number.open && value == number.least))) {
            rules.fail(field, "must be " + std::string(number.open ? "> " : ">= ") +
                                  show(number.least) + ", got " + rules.in_unit_of(field, value));
        }
    }
    if (friction.has_static_() && friction.has_dynamic() &&
        friction.dynamic() > friction.static_()) {
        rules.fail(path + ".dynamic", "must be <= static = " + show(friction.static_()) + ", got " +
                                          show(friction.dynamic()));
    }
}

void check_stress(const v1::Rupture& rupture, const v1::RuptureFault& fault,
                  const std::string& path, Rules& rules) {
    if (fault.has_stress() && !fault.stress_by_depth().empty()) {
        rules.fail(path + ".stress", "must be left out beside stress_by_depth");
    }
    if (fault.has_stress()) {
        rules.given(path + ".stress.normal_pa", fault.stress().has_normal_pa());
    }
    check_depths(fault.stress_by_depth(), path + ".stress_by_depth", rules);
    for (int k = 0; k < fault.stress_by_depth_size(); ++k) {
        rules.given(element(path + ".stress_by_depth", k) + ".normal_pa",
                    fault.stress_by_depth(k).has_normal_pa());
    }
    if (!fault.has_stress() && fault.stress_by_depth().empty() && rupture.stress_tensor().empty() &&
        !fault.has_table()) {
        rules.fail(path + ".stress",
                   "must be given, as stress, stress_by_depth, table or the model's "
                   "stress_tensor");
    }
}

template <class Part>
void check_extent(const Part& part, const std::string& path, Rules& rules) {
    rules.positive(path + ".length_m", part.length_m());
    rules.positive(path + ".width_m", part.width_m());
}

void check_parts(const v1::RuptureFault& fault, const std::string& path, Rules& rules) {
    const std::string& law = fault.friction().law();
    for (int k = 0; k < fault.tapers_size(); ++k) {
        const v1::FrictionTaper& taper = fault.tapers(k);
        const std::string field = element(path + ".tapers", k);
        check_extent(taper, field, rules);
        rules.not_negative(field + ".transition_m", taper.transition_m());
        rules.given(field + ".outside", taper.has_outside());
        check_friction(taper.outside(), law, Numbers::Changes, field + ".outside", rules);
    }
    for (int k = 0; k < fault.patches_size(); ++k) {
        const v1::FaultPatch& patch = fault.patches(k);
        const std::string field = element(path + ".patches", k);
        rules.one_of(field + ".shape", patch.shape(), {kRectangle, kEllipse});
        check_extent(patch, field, rules);
        if (!patch.has_stress() && !patch.has_friction()) {
            rules.fail(field, "must have stress or friction that is another there");
        }
        check_friction(patch.friction(), law, Numbers::Changes, field + ".friction", rules);
    }
}

}  // namespace

void check_faults(const v1::Rupture& rupture, Rules& rules) {
    constexpr int kMostFaults = 100;
    if (rupture.faults().empty() || rupture.faults_size() > kMostFaults) {
        rules.fail("faults", "must be 1 to " + std::to_string(kMostFaults) + ", got " +
                                 std::to_string(rupture.faults_size()));
        return;
    }
    check_wave_ids(rupture.faults(), "faults", rules);
    for (int k = 0; k < rupture.faults_size(); ++k) {
        const v1::RuptureFault& fault = rupture.faults(k);
        const std::string path = element("faults", k);
        check_fault_place(rupture, k, rules);
        rules.one_of(path + ".friction.law", fault.friction().law(), friction_laws());
        check_stress(rupture, fault, path, rules);
        if (fault.has_table()) {
            rules.given(path + ".table.file", !fault.table().file().path().empty());
            rules.one_of(path + ".table.positive_shear", fault.table().positive_shear(),
                         {kLeftLateral, kRightLateral});
        }
        if (std::ranges::find(friction_laws(), fault.friction().law()) != friction_laws().end()) {
            check_friction(fault.friction(), fault.friction().law(),
                           fault.has_table() ? Numbers::Some : Numbers::All, path + ".friction",
                           rules);
            check_parts(fault, path, rules);
        }
    }
}

}  // namespace kaname::spec
