// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/rupture/rupture_rules.hpp"

#include <algorithm>

#include "proto/request/ader_dg/seismic_waves_rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/volumes.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "proto/request/waves/wave_requests.hpp"

namespace kaname::request {
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

namespace {

constexpr double kFlattest_deg = 10.0, kVertical_deg = 90.0;

/// Materials on the other side of a plane that parts a box of layers.
void check_plus_materials(const v1::Rupture& rupture, const v1::RupturePlane& plane,
                          const std::string& path, Rules& rules) {
    if (!rupture.has_box() || plane.dip_deg() != kVertical_deg ||
        &plane != &rupture.faults(0).plane()) {
        rules.fail(path, "must be left out but of the first fault, a vertical plane in a box");
    }
    const v1::Structure& structure = rupture.structure();
    if (plane.plus_materials_size() != structure.layers_size()) {
        rules.fail(path, "must have one material for each of " +
                             std::to_string(structure.layers_size()) + " layers, got " +
                             std::to_string(plane.plus_materials_size()));
    }
    std::vector<std::string> known;
    for (const v1::Material& material : structure.materials()) {
        known.push_back(material.name());
    }
    for (int k = 0; k < plane.plus_materials_size(); ++k) {
        rules.one_of(element(path, k), plane.plus_materials(k), known);
    }
}

void check_plane(const v1::Rupture& rupture, const v1::RupturePlane& plane, const std::string& path,
                 Rules& rules) {
    check_place(plane.at(), path + ".at", rupture.has_region(), rules, Height::Ground);
    if (plane.at().has_z_m() || plane.at().has_depth_m()) {
        rules.fail(path + (plane.at().has_z_m() ? ".at.z_m" : ".at.depth_m"),
                   "must be left out: top_depth_m says how deep the upper edge is");
    }
    if (rules.given(path + ".top_depth_m", plane.has_top_depth_m())) {
        rules.not_negative(path + ".top_depth_m", plane.top_depth_m());
    }
    if (rules.given(path + ".strike_deg", plane.has_strike_deg())) {
        rules.in_range(path + ".strike_deg", plane.strike_deg(), -180.0, 360.0);
    }
    if (rules.given(path + ".dip_deg", plane.has_dip_deg())) {
        rules.in_range(path + ".dip_deg", plane.dip_deg(), kFlattest_deg, kVertical_deg);
    }
    if (!plane.plus_materials().empty()) {
        check_plus_materials(rupture, plane, path + ".plus_materials", rules);
    }
    rules.positive(path + ".length_m", plane.length_m());
    rules.positive(path + ".width_m", plane.width_m());
}

void check_interface(const v1::Rupture& rupture, const v1::RuptureInterface& interface,
                     const std::string& path, Rules& rules) {
    if (!rupture.has_region() || !has_volumes(rupture.structure())) {
        rules.fail(path, "must have a region, and a structure of surfaces and volumes");
    } else {
        std::vector<std::string> known;
        for (const v1::StructureSurface& surface : rupture.structure().surfaces()) {
            known.push_back(surface.name());
        }
        rules.one_of(path + ".of", interface.of(), known);
    }
    constexpr int kLeastCorners = 3;
    if (interface.outline_size() < kLeastCorners) {
        rules.fail(path + ".outline",
                   "must have at least 3 corners, got " + std::to_string(interface.outline_size()));
    }
    for (int k = 0; k < interface.outline_size(); ++k) {
        check_place(interface.outline(k), element(path + ".outline", k), rupture.has_region(),
                    rules, Height::Ground);
    }
}

}  // namespace

void check_fault_place(const v1::Rupture& rupture, int fault, Rules& rules) {
    const v1::RuptureFault& is = rupture.faults(fault);
    const std::string path = element("faults", fault);
    const bool file = rupture.mesh().has_file();
    if (is.has_plane() + is.has_interface() + is.has_physical_surface() != 1) {
        rules.fail(path + ".plane",
                   "exactly one of plane, interface and physical_surface must be given");
    } else if (file != is.has_physical_surface()) {
        rules.fail(path + (file ? ".physical_surface" : ".plane"),
                   file ? "must be given: the faults of mesh.file are its physical surfaces"
                        : "or interface must be given: there is no mesh.file with a "
                          "physical_surface");
    }
    if (is.has_plane()) {
        check_plane(rupture, is.plane(), path + ".plane", rules);
    }
    if (is.has_interface()) {
        check_interface(rupture, is.interface(), path + ".interface", rules);
    }
    if (is.has_physical_surface()) {
        rules.given(path + ".physical_surface.name", !is.physical_surface().name().empty());
    }
    rules.not_negative(path + ".element_size_m", is.element_size_m());
    if (file && is.element_size_m() != 0.0) {
        rules.fail(path + ".element_size_m", "must be left out beside mesh.file");
    }
}

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

}  // namespace kaname::request
