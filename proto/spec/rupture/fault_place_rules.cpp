// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/volumes.hpp"
#include "proto/spec/rupture/rupture_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"

namespace kaname::spec {
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

}  // namespace kaname::spec
