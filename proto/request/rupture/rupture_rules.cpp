// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/form/field_rules.hpp"
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
        rules.given(path + ".cohesion_pa", rock.has_cohesion_pa());
    } else if (rock.has_cohesion_pa()) {
        rules.fail(path + ".cohesion_pa", "must be left out beside cohesion_by_depth");
    }
    check_depths(rock.cohesion_by_depth(), path + ".cohesion_by_depth", rules);
    if (rock.has_friction() == rock.has_friction_angle_deg()) {
        rules.fail(path + ".friction",
                   "exactly one of friction and friction_angle_deg must be "
                   "given, got " +
                       std::string(rock.has_friction() ? "both" : "none"));
    }
}

void check_fault_output(const v1::Rupture& rupture, Rules& rules) {
    const v1::FaultOutput& output = rupture.fault_output();
    check_snapshots(output.snapshots_s(), "fault_output.snapshots_s", rupture.time().end_s(),
                    rules);
    if (output.interval_s() > 0.0 &&
        rupture.time().end_s() / output.interval_s() > kMostSnapshots) {
        rules.fail("fault_output.interval_s",
                   "must leave at most " + std::to_string(kMostSnapshots) + " snapshots, got " +
                       show(rupture.time().end_s() / output.interval_s()));
    }
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
    check_given_sources(rupture, rules);
    check_plasticity(rupture, rules);
    check_fault_output(rupture, rules);
    every_number_finite(rupture, "", rules);
    check_fields(rupture, rules);
    return rules.take();
}

namespace {

constexpr double kVertical_deg = 90.0;

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

/// Checks the point of a plane that could not be settled.
void check_point(const v1::Rupture& rupture, const v1::RupturePlane& plane, const std::string& path,
                 Rules& rules) {
    const std::string field = path + (plane.has_centre() ? ".centre" : ".top_centre");
    const v1::WavePlace& at = plane.has_centre() ? plane.centre() : plane.top_centre();
    if (plane.has_centre() && plane.has_top_centre()) {
        rules.fail(field, "excludes top_centre; keep one");
        return;
    }
    if (plane.has_at() || plane.has_top_depth_m()) {
        rules.fail(field, "excludes at and top_depth_m; keep one");
        return;
    }
    const std::size_t n = rules.size();
    check_place(at, field, rupture.has_region(), rules);
    if (at.has_lon_deg()) {
        rules.given(field + ".depth_m", at.has_depth_m());
    }
    if (rules.size() == n) {
        const std::string depth = field + (at.has_lon_deg() ? ".depth_m" : ".z_m");
        rules.fail(depth, "must not put the upper edge above the ground, got " +
                              rules.in_unit_of(depth, at.has_lon_deg() ? at.depth_m() : at.z_m()));
    }
}

void check_plane(const v1::Rupture& rupture, const v1::RupturePlane& plane, const std::string& path,
                 Rules& rules) {
    if (plane.has_top_centre() || plane.has_centre()) {
        check_point(rupture, plane, path, rules);
    } else {
        rules.given(path + ".top_depth_m", plane.has_top_depth_m());
        check_place(plane.at(), path + ".at", rupture.has_region(), rules, Height::Ground);
    }
    if (plane.at().has_z_m() || plane.at().has_depth_m()) {
        rules.fail(path + (plane.at().has_z_m() ? ".at.z_m" : ".at.depth_m"),
                   "must be left out: top_depth_m says how deep the upper edge is");
    }
    if (!plane.plus_materials().empty()) {
        check_plus_materials(rupture, plane, path + ".plus_materials", rules);
    }
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
        const bool given = number_of(friction, number.field).given;
        const bool read = std::ranges::find(number.laws, law) != number.laws.end();
        if (given && !read) {
            rules.fail(field, "must be left out of friction by the law " + law);
        } else if (read && number.needed && numbers == Numbers::All) {
            rules.given(field, given);
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
    if (!fault.has_stress() && fault.stress_by_depth().empty() && rupture.stress_tensor().empty() &&
        !fault.has_table()) {
        rules.fail(path + ".stress",
                   "must be given, as stress, stress_by_depth, table or the model's "
                   "stress_tensor");
    }
}

void check_parts(const v1::RuptureFault& fault, const std::string& path, Rules& rules) {
    const std::string& law = fault.friction().law();
    for (int k = 0; k < fault.tapers_size(); ++k) {
        const v1::FrictionTaper& taper = fault.tapers(k);
        const std::string field = element(path + ".tapers", k);
        check_friction(taper.outside(), law, Numbers::Changes, field + ".outside", rules);
    }
    for (int k = 0; k < fault.patches_size(); ++k) {
        const v1::FaultPatch& patch = fault.patches(k);
        const std::string field = element(path + ".patches", k);
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
        check_stress(rupture, fault, path, rules);
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

}  // namespace

void check_nucleation(const v1::Rupture& rupture, Rules& rules) {
    const v1::Nucleation& nucleation = rupture.nucleation();
    for (int k = 0; k < nucleation.stress_size(); ++k) {
        const v1::NucleationStress& zone = nucleation.stress(k);
        const std::string path = element("nucleation.stress", k);
        (void)find_fault(rupture, zone.fault(), path, rules);
        if (zone.strike_pa() == 0.0 && zone.dip_pa() == 0.0) {
            rules.fail(path + ".strike_pa", "or dip_pa must be given, and not 0");
        }
    }
    if (nucleation.stress().empty() && nucleation.stress_duration_s() != 0.0) {
        rules.fail("nucleation.stress_duration_s", "must be left out without nucleation.stress");
    }
    for (int k = 0; k < nucleation.forced_size(); ++k) {
        const v1::ForcedRupture& zone = nucleation.forced(k);
        const std::string path = element("nucleation.forced", k);
        const v1::RuptureFault* fault = find_fault(rupture, zone.fault(), path, rules);
        if (fault != nullptr && fault->friction().law() != kSlipWeakening) {
            rules.fail(path, "must be on a fault whose friction has the law " +
                                 std::string(kSlipWeakening) + ", got " +
                                 quote(fault->friction().law()));
        }
    }
    const auto& receivers = rupture.fault_receivers();
    if (!receivers.empty()) {
        check_wave_ids(receivers, "fault_receivers", rules);
    }
    for (int k = 0; k < receivers.size(); ++k) {
        (void)find_fault(rupture, receivers[k].fault(), element("fault_receivers", k), rules);
    }
}

void check_given_sources(const v1::Rupture& rupture, Rules& rules) {
    if (rupture.sources().empty()) {
        return;
    }
    check_wave_ids(rupture.sources(), "sources", rules);
    check_seismic_sources(setting_of(rupture), rules);
    if (rupture.has_plasticity()) {
        // The stress of a point source has no bound: rock about it would yield whatever its size,
        // and less motion than was asked for would leave.
        rules.fail("sources",
                   "must be left out beside plasticity: rock at a point source yields under the "
                   "source's own stress, and its waves are not those that are asked for");
    }
}

}  // namespace kaname::request
