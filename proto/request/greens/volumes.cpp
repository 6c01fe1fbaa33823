// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/volumes.hpp"

#include <algorithm>
#include <map>

#include "proto/request/form/rules.hpp"
#include "proto/request/greens/validate.hpp"

namespace kaname::request {
namespace {

constexpr int kMostNamed = 60;  // surfaces, and volumes
constexpr double kHighestSurface_m = 1e4;
constexpr double kMostSteps = 1000;

using Names = std::map<std::string, int>;  // index of each

std::vector<std::string> words(const Names& names) {
    std::vector<std::string> found;
    for (const auto& [name, index] : names) {
        found.push_back(name);
    }
    return found;
}

/// Fails unless `name` is one of `known`, `list` saying where those stand.
void check_reference(const std::string& field, const std::string& name, const Names& known,
                     const std::string& list, Rules& rules) {
    if (known.contains(name)) {
        return;
    }
    const std::string near = nearest(name, words(known));
    rules.fail(field, "must name one of " + list + ", got " + quote(name) +
                          (near.empty() ? "" : "; did you mean " + near + "?"));
}

template <class List>
Names check_names(const List& list, const std::string& path, Rules& rules) {
    Names first;
    if (list.size() > kMostNamed) {
        rules.fail(path, "must be at most " + std::to_string(kMostNamed) + ", got " +
                             std::to_string(list.size()));
    }
    for (int index = 0; index < list.size(); ++index) {
        const std::string field = element(path, index) + ".name";
        const std::string& name = list[index].name();
        if (!rules.name(field, name)) {
            continue;
        }
        if (const auto [at, fresh] = first.try_emplace(name, index); !fresh) {
            rules.fail(field, "must be unique, got " + quote(name) + " as in " +
                                  element(path, at->second));
        }
    }
    return first;
}

/// Checks the fields of a surface whose depths are read from a file, and refuses them without one.
void check_of_file(const v1::StructureSurface& surface, const std::string& path, Rules& rules) {
    const bool limited = surface.has_min_depth_m() || surface.has_max_depth_m();
    if (!surface.has_file()) {
        for (const auto& [field, given] :
             {std::pair{".column", !surface.column().empty()},
              std::pair{".unit", !surface.unit().empty()},
              std::pair{".min_depth_m", surface.has_min_depth_m()},
              std::pair{".max_depth_m", surface.has_max_depth_m()},
              std::pair{".smoothing_length_m", surface.smoothing_length_m() != 0.0},
              std::pair{".spacing_m", surface.spacing_m() != 0.0}}) {
            if (given) {
                rules.fail(path + field, "must be absent without file");
            }
        }
        return;
    }
    if (surface.file().path().empty()) {
        rules.fail(path + ".file", "must name a file");
    }
    if (!surface.unit().empty()) {
        rules.one_of(path + ".unit", surface.unit(), {"m", "km"});
    }
    rules.not_negative(path + ".smoothing_length_m", surface.smoothing_length_m());
    rules.not_negative(path + ".spacing_m", surface.spacing_m());
    if (limited && rules.given(path + ".min_depth_m", surface.has_min_depth_m()) &&
        rules.given(path + ".max_depth_m", surface.has_max_depth_m())) {
        rules.not_negative(path + ".min_depth_m", surface.min_depth_m());
        if (surface.max_depth_m() <= surface.min_depth_m()) {
            const std::string field = path + ".max_depth_m";
            rules.fail(field, "must be > " +
                                  rules.beside(field, "min_depth_m", surface.min_depth_m()) +
                                  ", got " + rules.in_unit_of(field, surface.max_depth_m()));
        }
    }
}

void check_surface(const v1::StructureSurface& surface, const std::string& path, double bottom_m,
                   const Names& surfaces, Rules& rules) {
    const int ways = (surface.has_file() ? 1 : 0) + (surface.has_depth_m() ? 1 : 0) +
                     (surface.below().empty() ? 0 : 1);
    if (ways != 1) {
        rules.fail(path, "must have exactly one of file, depth_m and below");
    }
    check_of_file(surface, path, rules);
    if (surface.has_depth_m()) {
        rules.in_range(path + ".depth_m", surface.depth_m(), -kHighestSurface_m, bottom_m);
    }
    if (bottom_m > 0.0 && surface.max_depth_m() >= bottom_m) {
        const std::string field = path + ".max_depth_m";
        rules.fail(field, "must be < " + rules.beside(field, "region.depth_m", bottom_m) +
                              ", got " + rules.in_unit_of(field, surface.max_depth_m()));
    }
    if (!surface.below().empty()) {
        check_reference(path + ".below", surface.below(), surfaces, "structure.surfaces", rules);
        rules.positive(path + ".thickness_m", surface.thickness_m());
        if (surface.has_outline() && surface.outline().path().empty()) {
            rules.fail(path + ".outline", "must name a file");
        }
    } else if (surface.thickness_m() != 0.0) {
        rules.fail(path + ".thickness_m", "must be absent without below");
    }
}

void check_end(const v1::StructureSurface& surface, const std::string& path, Rules& rules) {
    if (surface.has_outline() && surface.below().empty()) {
        rules.fail(path + ".outline", "must be absent without below");
    }
    rules.not_negative(path + ".end_length_m", surface.end_length_m());
    if (surface.end_length_m() != 0.0 && !surface.has_outline()) {
        rules.fail(path + ".end_length_m", "must be absent without outline");
    }
}

/// Surfaces that are below each other in a circle, told once, at the first of them.
void check_circles(const v1::Structure& structure, const Names& surfaces, Rules& rules) {
    std::set<int> told;
    for (int start = 0; start < structure.surfaces_size(); ++start) {
        std::vector<int> chain;
        for (int at = start; !told.contains(at);) {
            if (std::ranges::find(chain, at) != chain.end()) {
                if (at == start) {
                    told.insert(chain.begin(), chain.end());
                    rules.fail(element("structure.surfaces", start) + ".below",
                               "must not lead back to the surface itself, got " +
                                   quote(structure.surfaces(start).below()));
                }
                break;
            }
            chain.push_back(at);
            const auto above = surfaces.find(structure.surfaces(at).below());
            if (above == surfaces.end()) {
                break;
            }
            at = above->second;
        }
    }
}

void check_filling_viscosity(const std::string& path, bool has, double viscosity_pa_s,
                             Rules& rules) {
    if (has) {
        rules.positive(path + ".viscosity_pa_s", viscosity_pa_s);
    }
}

void check_filling(const v1::StructureVolume& volume, const std::string& path,
                   const Names& materials, Rules& rules) {
    const int ways = (volume.material().empty() ? 0 : 1) + (volume.has_profile() ? 1 : 0) +
                     (volume.has_columns() ? 1 : 0);
    if (ways != 1) {
        rules.fail(path, "must have exactly one of material, profile and columns");
    }
    if (!volume.material().empty()) {
        check_reference(path + ".material", volume.material(), materials, "structure.materials",
                        rules);
    }
    if (volume.has_profile()) {
        const v1::DepthProfile& profile = volume.profile();
        if (profile.file().path().empty()) {
            rules.fail(path + ".profile.file", "must name a file");
        }
        rules.in_range(path + ".profile.steps", profile.steps(), 0.0, kMostSteps);
        check_filling_viscosity(path + ".profile", profile.has_viscosity_pa_s(),
                                profile.viscosity_pa_s(), rules);
    }
    if (volume.has_columns()) {
        const v1::ColumnTable& columns = volume.columns();
        if (columns.file().path().empty()) {
            rules.fail(path + ".columns.file", "must name a file");
        }
        if (columns.layer().empty()) {
            rules.fail(path + ".columns.layer", "must be given");
        }
        check_filling_viscosity(path + ".columns", columns.has_viscosity_pa_s(),
                                columns.viscosity_pa_s(), rules);
    }
}

void check_bounds(const v1::StructureVolume& volume, const std::string& path, bool last,
                  const v1::Structure& structure, const Names& surfaces, Rules& rules) {
    const bool bounded = !volume.top().empty() || !volume.bottom().empty();
    if (bounded == last) {
        rules.fail(path, last ? "must have neither top nor bottom: the last volume is what the "
                                "others leave"
                              : "must have top, bottom or both: only the last volume has none");
    }
    for (const auto& [field, name] :
         {std::pair{".top", volume.top()}, std::pair{".bottom", volume.bottom()}}) {
        if (!name.empty()) {
            check_reference(path + field, name, surfaces, "structure.surfaces", rules);
        }
    }
    if (!volume.bottom().empty() && volume.bottom() == volume.top()) {
        rules.fail(path + ".bottom",
                   "must be another surface than top, got " + quote(volume.bottom()));
    }
    if (!volume.bottom().empty() && volume.bottom() == structure.free_surface()) {
        rules.fail(path + ".bottom", "must not be the free surface, got " + quote(volume.bottom()));
    }
}

}  // namespace

void check_volumes(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Structure& structure = batch.structure();
    for (const auto& [field, given] :
         {std::pair{"structure.layers", !structure.layers().empty()},
          std::pair{"structure.below_interface", !structure.below_interface().empty()}}) {
        if (given) {
            rules.fail(field, "must be absent: the structure has surfaces and volumes");
        }
    }
    Names materials;
    for (int index = 0; index < structure.materials_size(); ++index) {
        materials.emplace(structure.materials(index).name(), index);
    }
    const Names surfaces = check_names(structure.surfaces(), "structure.surfaces", rules);
    for (int index = 0; index < structure.surfaces_size(); ++index) {
        check_end(structure.surfaces(index), element("structure.surfaces", index), rules);
        check_surface(structure.surfaces(index), element("structure.surfaces", index),
                      batch.region().depth_m(), surfaces, rules);
    }
    check_circles(structure, surfaces, rules);
    if (!structure.free_surface().empty()) {
        check_reference("structure.free_surface", structure.free_surface(), surfaces,
                        "structure.surfaces", rules);
    }
    if (structure.volumes().empty()) {
        rules.fail("structure.volumes", "must have at least one volume");
    }
    check_names(structure.volumes(), "structure.volumes", rules);
    for (int index = 0; index < structure.volumes_size(); ++index) {
        const v1::StructureVolume& volume = structure.volumes(index);
        const std::string path = element("structure.volumes", index);
        check_bounds(volume, path, index + 1 == structure.volumes_size(), structure, surfaces,
                     rules);
        check_filling(volume, path, materials, rules);
        rules.not_negative(path + ".size_m", volume.size_m());
        if (batch.mesh().size_far_m() > 0.0 && volume.size_m() > batch.mesh().size_far_m()) {
            const std::string field = path + ".size_m";
            rules.fail(field,
                       "must not exceed " +
                           rules.beside(field, "mesh.size_far_m", batch.mesh().size_far_m()) +
                           ", got " + rules.in_unit_of(field, volume.size_m()));
        }
    }
}

void check_volume_sizes(const v1::Mesh& mesh, Rules& rules) {
    const auto below_far = [&](const std::string& field, double size_m) {
        rules.not_negative(field, size_m);
        if (mesh.size_far_m() > 0.0 && size_m > mesh.size_far_m()) {
            rules.fail(field, "must not exceed " +
                                  rules.beside(field, "size_far_m", mesh.size_far_m()) + ", got " +
                                  rules.in_unit_of(field, size_m));
        }
    };
    below_far("mesh.size_at_surface_m", mesh.size_at_surface_m());
    below_far("mesh.size_at_stations_m", mesh.size_at_stations_m());
    if (mesh.has_thinnest_layer()) {
        rules.in_range("mesh.thinnest_layer", mesh.thinnest_layer(), 0.0, 0.5);
    }
    double depth_m = 0.0, size_m = 0.0;
    for (int index = 0; index < mesh.sizes_by_depth_size(); ++index) {
        const v1::DepthSize& entry = mesh.sizes_by_depth(index);
        const std::string path = element("mesh.sizes_by_depth", index);
        rules.positive(path + ".size_m", entry.size_m());
        below_far(path + ".size_m", entry.size_m());
        rules.not_negative(path + ".reach_m", entry.reach_m());
        if (!rules.given(path + ".depth_m", entry.has_depth_m())) {
            continue;
        }
        if (entry.depth_m() <= depth_m) {
            const std::string field = path + ".depth_m";
            rules.fail(field, "must be > " + rules.in_unit_of(field, depth_m) +
                                  (index == 0 ? "" : ", that of the entry before") + ", got " +
                                  rules.in_unit_of(field, entry.depth_m()));
        }
        if (entry.size_m() > 0.0 && entry.size_m() <= size_m) {
            const std::string field = path + ".size_m";
            rules.fail(field, "must be > " + rules.in_unit_of(field, size_m) +
                                  ", that of the entry before, which it would undo; got " +
                                  rules.in_unit_of(field, entry.size_m()));
        }
        depth_m = std::max(depth_m, entry.depth_m());
        size_m = std::max(size_m, entry.size_m());
    }
}

void check_no_volumes(const v1::GreensBatch& batch, Rules& rules) {
    if (!batch.fault().interface().of().empty()) {
        rules.fail("fault.interface.of", "must be absent: it is for a structure of volumes");
    }
}

}  // namespace kaname::request
