// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"

namespace kaname::jobs {
namespace {

constexpr const char* kMeshWarning = "warning: ";
constexpr std::size_t kWorstListed = 3;
constexpr std::size_t kMaterialsListed = 12;  // profiles make dozens
// Least change of a volume that is told, as a share of it; it is counted on lines.
constexpr double kTold = 0.02;

template <class... Args>
void add_line(std::string& text, const char* format, Args... args) {
    char line[320];
    std::snprintf(line, sizeof line, format, args...);
    text += line;
    text += '\n';
}

void add_angles(std::string& text, const mesh::QualityReport& quality) {
    add_line(text, "dihedral angles: %.2f to %.2f degrees; 99.9 %% of tets above %.2f",
             quality.min_dihedral_deg, quality.max_dihedral_deg, quality.p001_min_dihedral_deg);
    text += "angles by ten degrees, percent:";
    for (const std::int64_t count : quality.dihedral_histogram) {
        char share[32];
        std::snprintf(
            share, sizeof share, count == 0 ? " 0" : " %.3g",
            100.0 * static_cast<double>(count) / (6.0 * static_cast<double>(quality.tets)));
        text += share;
    }
    text += '\n';
    const auto element = [&](const char* what, const mesh::QualityReport::Element& at) {
        add_line(text, "%s: %.2f to %.2f degrees at x %.1f y %.1f z %.1f km", what,
                 at.min_dihedral_deg, at.max_dihedral_deg, at.centroid.x / 1e3, at.centroid.y / 1e3,
                 at.centroid.z / 1e3);
    };
    for (std::size_t k = 0; k < std::min(kWorstListed, quality.worst.size()); ++k) {
        element("worst tet", quality.worst[k]);
    }
    if (quality.widest) {
        element("widest tet", *quality.widest);
    }
}

void add_connectivity(std::string& text, const mesh::QualityReport::Connectivity& found) {
    if (found.watertight()) {
        text += "watertight, no hanging nodes\n";
        return;
    }
    add_line(text,
             "NOT watertight: %lld open faces, %lld of more than two tets, %lld between tets that "
             "overlap, %lld vertices in no tet",
             static_cast<long long>(found.open_faces), static_cast<long long>(found.crowded_faces),
             static_cast<long long>(found.folded_faces),
             static_cast<long long>(found.unused_vertices));
}

/// Volumes of which the mesh has much less than the model near the fault: thin layers that merged.
void add_lost_volumes(std::string& text, const MeshReport& report) {
    constexpr double kMostLost = 0.1, kGone = 0.99, kLeast_m3 = 1.0;
    for (const MeshReport::Volume& volume : report.volumes) {
        // Far away a layer may end; there layers_at_stations() says what that does.
        const bool near = volume.near_mesh_m3 >= (1.0 - kGone) * volume.near_model_m3 &&
                          volume.near_model_m3 > kLeast_m3;
        if (volume.model_m3 > kLeast_m3 && !near &&
            volume.mesh_m3 < (1.0 - kGone) * volume.model_m3) {
            add_line(text,
                     "%svolume '%s' is not in the mesh: it is thinner than mesh.thinnest_layer of "
                     "an element and its neighbours have its place; leave it out, or give it a "
                     "size_km of its own that suits its thickness",
                     kMeshWarning, volume.name.c_str());
        } else if (volume.near_model_m3 > kLeast_m3 &&
                   volume.near_mesh_m3 < (1.0 - kMostLost) * volume.near_model_m3) {
            add_line(text,
                     "%svolume '%s' has lost %.0f %% of its %.3g km3 within %.0f km of the fault "
                     "to its neighbours, where it is thinner than a quarter of an element; give it "
                     "a size_km of its own that suits its thickness",
                     kMeshWarning, volume.name.c_str(),
                     100.0 * (1.0 - volume.near_mesh_m3 / volume.near_model_m3),
                     volume.near_model_m3 / 1e9, cleaving::kNearFault_m / 1e3);
        }
    }
}

/// Interfaces that the mesh has only roughly, and why.
void add_rough_interfaces(std::string& text, const cleaving::InterfaceError& error) {
    constexpr double kRough = 0.25;  // distance from the model, in sizes asked for
    std::string names;
    for (const auto& surface : error.surfaces) {
        if (!surface.is_fault && surface.p99 > kRough) {
            names += (names.empty() ? "'" : ", '") + surface.name + "'";
        }
    }
    if (error.all.p99 <= kRough || names.empty()) {
        return;
    }
    const double thin = 1.0 - static_cast<double>(error.suited.faces) /
                                  static_cast<double>(std::max<std::int64_t>(error.all.faces, 1));
    add_line(
        text,
        "%sinterfaces are up to %.2f of an element off (99 %% of their faces; surfaces %s): "
        "%.0f %% of them lie where a layer is thinner than a third of an element, elsewhere it is "
        "%.2f; sizes of at most three times the thickness mend it",
        kMeshWarning, error.all.p99, names.c_str(), 100.0 * thin, error.suited.p99);
}

void add_volumes(std::string& text, const MeshReport& report,
                 std::span<const earth::Material> materials) {
    const std::vector<double>& of = report.quality.volume_per_material;
    for (std::size_t m = 0; m < std::min(of.size(), kMaterialsListed); ++m) {
        add_line(text, "volume of %s: %.4g km3", materials[m].name.c_str(), of[m] / 1e9);
    }
    if (of.size() > kMaterialsListed) {
        add_line(text, "and of %zu more materials", of.size() - kMaterialsListed);
    }
    for (const MeshReport::Volume& volume : report.volumes) {
        if (volume.model_m3 > 0.0) {
            const double lost =
                volume.near_model_m3 > 0.0 ? 1.0 - volume.near_mesh_m3 / volume.near_model_m3 : 0.0;
            char near[96] = "";
            if (std::abs(lost) >= kTold) {
                std::snprintf(near, sizeof near, "; within %.0f km of the fault %+.0f %%",
                              cleaving::kNearFault_m / 1e3, -100.0 * lost);
            }
            add_line(text, "volume '%s': %.4g km3, of the model's %.4g km3 (%+.2f %%)%s",
                     volume.name.c_str(), volume.mesh_m3 / 1e9, volume.model_m3 / 1e9,
                     100.0 * (volume.mesh_m3 / volume.model_m3 - 1.0), near);
        } else {
            add_line(text, "volume '%s': %.4g km3", volume.name.c_str(), volume.mesh_m3 / 1e9);
        }
    }
}

void add_fault_lines(std::string& text, const fault::FaultReport& fault) {
    add_line(text,
             "fault '%s': %lld faces, %.4g km2 in %d piece%s, depth %.2f to %.2f km, rim %.4g km, "
             "%lld nodes can slip",
             fault.name.c_str(), static_cast<long long>(fault.faces), fault.area_m2 / 1e6,
             fault.pieces, fault.pieces == 1 ? "" : "s", fault.top_depth_m / 1e3,
             fault.bottom_depth_m / 1e3, fault.rim_m / 1e3,
             static_cast<long long>(fault.split_nodes));
    if (fault.stray_faces > 0) {
        add_line(text,
                 "fault '%s': %lld faces are STRAY, in pieces of less than a fiftieth of the "
                 "largest, one at x %.1f y %.1f z %.1f km",
                 fault.name.c_str(), static_cast<long long>(fault.stray_faces),
                 fault.stray->x / 1e3, fault.stray->y / 1e3, fault.stray->z / 1e3);
    }
    if (fault.stuck_faces > 0) {
        add_line(text, "fault '%s': %lld faces have no node that can slip", fault.name.c_str(),
                 static_cast<long long>(fault.stuck_faces));
    }
    if (fault.orphan) {
        add_line(text,
                 "fault '%s': %lld nodes inside it CANNOT slip, one at x %.1f y %.1f z %.1f km",
                 fault.name.c_str(), static_cast<long long>(fault.orphan_nodes),
                 fault.orphan->x / 1e3, fault.orphan->y / 1e3, fault.orphan->z / 1e3);
    }
}

void add_interface_lines(std::string& text, const cleaving::InterfaceError& error) {
    add_line(text,
             "distance of %lld interface faces to the model, in local sizes: mean %.3f, 99 %% "
             "below %.3f, max %.3f",
             static_cast<long long>(error.all.faces), error.all.mean, error.all.p99, error.all.max);
    if (error.suited.faces < error.all.faces) {
        add_line(
            text,
            "  where no layer is thinner than a third of an element (%lld faces): mean %.3f, 99 %% "
            "below %.3f, max %.3f",
            static_cast<long long>(error.suited.faces), error.suited.mean, error.suited.p99,
            error.suited.max);
    }
    for (const auto& surface : error.surfaces) {
        add_line(text,
                 "  %s '%s': mean %.3f, p99 %.3f, max %.3f at x %.1f y %.1f z %.1f km, %.0f m",
                 surface.is_fault ? "fault" : "surface", surface.name.c_str(), surface.mean,
                 surface.p99, surface.max, surface.worst.x / 1e3, surface.worst.y / 1e3,
                 surface.worst.z / 1e3, surface.max_m);
        if (surface.blunted_m2 > 0.0) {
            add_line(
                text,
                "  fault '%s' is blunted in %.3g km2: where the wedge between it and the ground "
                "is thinner than half an element it leaves its surface by up to %.0f m",
                surface.name.c_str(), surface.blunted_m2 / 1e6, surface.max_m);
        }
    }
}

}  // namespace

std::string quality_text(const MeshReport& report, std::span<const earth::Material> materials) {
    const mesh::QualityReport& quality = report.quality;
    std::string text;
    add_line(text, "mesh: %lld vertices, %lld tets, %lld fault faces, edges %.3g to %.3g km",
             static_cast<long long>(quality.vertices), static_cast<long long>(quality.tets),
             static_cast<long long>(quality.fault_faces), quality.min_edge_m / 1e3,
             quality.max_edge_m / 1e3);
    add_line(text, "second order: %lld nodes, %lld unknowns", static_cast<long long>(quality.nodes),
             static_cast<long long>(quality.dof()));
    if (quality.sizes) {
        add_line(text,
                 "%.2f %% of tets within a factor of two of the size asked for; sizes %.3g to "
                 "%.3g km",
                 100.0 * quality.sizes->within_two, quality.sizes->min_m / 1e3,
                 quality.sizes->max_m / 1e3);
    }
    add_angles(text, quality);
    add_connectivity(text, quality.connectivity);
    add_volumes(text, report, materials);
    for (const fault::FaultReport& fault : report.faults) {
        add_fault_lines(text, fault);
    }
    if (report.interfaces) {
        add_interface_lines(text, *report.interfaces);
    }
    add_lost_volumes(text, report);
    if (report.interfaces) {
        add_rough_interfaces(text, *report.interfaces);
    }
    return text;
}

std::vector<std::string> mesh_warnings(const std::string& text) {
    std::vector<std::string> warnings;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kMeshWarning)) {
            warnings.push_back(line.substr(std::string_view(kMeshWarning).size()));
        }
    }
    return warnings;
}

}  // namespace kaname::jobs
