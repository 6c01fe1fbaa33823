// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "solvers/earth/columns.hpp"
#include "solvers/earth/surface_builder.hpp"

namespace kaname::earth {
namespace {

void check_bounds(const VolumeLayout& layout, std::size_t k, Findings& findings) {
    const VolumeDefinition& volume = layout.volumes[k];
    const std::string who = "volume '" + volume.name + "'";
    const bool last = k + 1 == layout.volumes.size();
    if (last && (!volume.top.empty() || !volume.bottom.empty())) {
        findings.fail(volume.field, who +
                                        " is the last and fills what is left: it must have no "
                                        "top and no bottom");
    }
    if (!last && volume.top.empty() && volume.bottom.empty()) {
        findings.fail(volume.field, who +
                                        " has neither top nor bottom, so that nothing is left for "
                                        "those after it; only the last may");
    }
    for (const bool top : {true, false}) {
        const std::string& name = top ? volume.top : volume.bottom;
        if (!name.empty() && surface_index(layout, name) < 0) {
            findings.fail(volume.field + (top ? ".top" : ".bottom"),
                          who + ": '" + name + "' is no surface");
        }
    }
    if (!volume.top.empty() && volume.top == volume.bottom) {
        findings.fail(volume.field + ".bottom",
                      who + " has surface '" + volume.top + "' as its top and as its bottom");
    }
}

void check_material(const VolumeLayout& layout, const VolumeDefinition& volume,
                    Findings& findings) {
    const std::string who = "volume '" + volume.name + "'";
    const int given = int(volume.material >= 0) + int(!volume.profile_path.empty()) +
                      int(!volume.columns_path.empty());
    if (given != 1) {
        findings.fail(volume.field, who +
                                        " must have exactly one of a material, a profile and "
                                        "columns, got " +
                                        (given == 0 ? "none" : std::to_string(given)));
    }
    if (volume.material >= static_cast<int>(layout.materials.size())) {
        findings.fail(volume.field + ".material",
                      who + ": there is no material " + std::to_string(volume.material));
    }
    if (!volume.columns_path.empty() && volume.columns_layer.empty()) {
        findings.fail(volume.field + ".columns_layer",
                      who + " must say which layer of " + volume.columns_path + " it is");
    }
    if (volume.steps < 0) {
        findings.fail(volume.field + ".steps",
                      who + " must be >= 0, got " + std::to_string(volume.steps));
    }
    if (volume.viscosity_pa_s &&
        (!std::isfinite(*volume.viscosity_pa_s) || !(*volume.viscosity_pa_s > 0.0))) {
        findings.fail(volume.field + ".viscosity_pa_s", who + " must be finite and > 0, got " +
                                                            std::to_string(*volume.viscosity_pa_s));
    }
    if (!std::isfinite(volume.size_m) || volume.size_m < 0.0) {
        findings.fail(volume.field + ".size_m",
                      who + " must be finite and >= 0, got " + std::to_string(volume.size_m));
    }
}

}  // namespace

void check_volumes(const VolumeLayout& layout, Findings& findings) {
    if (layout.volumes.empty() || layout.volumes.size() > static_cast<std::size_t>(kMaxVolumes)) {
        findings.fail("structure.volumes", "must be between 1 and " + std::to_string(kMaxVolumes) +
                                               ", got " + std::to_string(layout.volumes.size()));
    }
    std::set<std::string> names;
    for (std::size_t k = 0; k < layout.volumes.size(); ++k) {
        const VolumeDefinition& volume = layout.volumes[k];
        if (volume.name.empty()) {
            findings.fail(volume.field + ".name", "must not be empty");
        } else if (!names.insert(volume.name).second) {
            findings.fail(volume.field + ".name",
                          "'" + volume.name + "' is the name of two volumes");
        }
        check_bounds(layout, k, findings);
        check_material(layout, volume, findings);
    }
}

namespace {

constexpr int kLines = 64;
constexpr int kMostLines = 512;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string km(double z_m) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f km", -z_m / 1000.0);
    return text;
}

template <typename Visit>
void for_each_line(const VolumeModel& model, int lines, const Visit& visit) {
    ModelColumns columns(model);
    const ModelColumns::Plan plan = columns.plan(lines);
    for (int j = 0; j < plan.nv; ++j) {
        for (int i = 0; i < plan.nu; ++i) {
            const double u = columns.u(plan, i);
            const double v = columns.v(plan, j);
            visit(u, v, columns.cut(u, v), columns.heights());
        }
    }
}

std::vector<VolumeReach> reach_on(const VolumeModel& model, int lines) {
    std::vector<VolumeReach> reach(model.volumes.size(), {kInfinity, -kInfinity, false});
    for_each_line(model, lines, [&](double, double, const auto& pieces, const auto&) {
        for (const ColumnPiece& piece : pieces) {
            VolumeReach& at = reach[piece.volume];
            at.lowest_m = std::min(at.lowest_m, piece.bottom_m);
            at.highest_m = std::max(at.highest_m, piece.top_m);
            at.anywhere = true;
        }
    });
    return reach;
}

/// The place where most is left between a volume's bounds, and what is there.
struct Gap {
    double thickness = -kInfinity;  ///< top - bottom
    double inside = -kInfinity;     ///< part of it in the box and under the free surface
    double u = 0.0, v = 0.0, top = 0.0, bottom = 0.0;
    double sea_bed = 0.0;              ///< height of the free surface there
    std::set<std::string> covered_by;  ///< volumes found between the bounds
};

Gap widest_gap(const VolumeModel& model, const Volume& volume) {
    Gap gap;
    for_each_line(
        model, kMostLines, [&](double u, double v, const auto& pieces, const auto& heights) {
            const double top = volume.top < 0 ? heights[0] : heights[volume.top];
            const double bottom = volume.bottom < 0 ? -model.depth_m : heights[volume.bottom];
            const double high = std::min(top, heights[0]);
            const double low = std::max(bottom, -model.depth_m);
            if (std::pair(high - low, top - bottom) > std::pair(gap.inside, gap.thickness)) {
                gap.inside = high - low;
                gap.u = u;
                gap.v = v;
                gap.top = top;
                gap.bottom = bottom;
                gap.sea_bed = heights[0];
            }
            gap.thickness = std::max(gap.thickness, top - bottom);
            for (const ColumnPiece& piece : pieces) {
                if (std::min(piece.top_m, high) > std::max(piece.bottom_m, low)) {
                    gap.covered_by.insert(model.volumes[piece.volume].name);
                }
            }
        });
    return gap;
}

std::string why_nowhere(const VolumeModel& model, const Volume& volume, const PlanFrame& frame) {
    const Gap gap = widest_gap(model, volume);
    const auto name = [&](int surface, const char* otherwise) {
        return surface < 0 ? std::string(otherwise) : "'" + model.surfaces[surface].name + "'";
    };
    const std::string top = name(volume.top, "the free surface");
    const std::string bottom = name(volume.bottom, "the bottom of the model");
    const std::string place = " (at " + text_of(frame.place(gap.u, gap.v)) + ": top at " +
                              km(gap.top) + " depth, bottom at " + km(gap.bottom);
    if (volume.top >= 0 && volume.bottom >= 0 && !(gap.thickness > 0.0)) {
        return "contradictory order: its top " + top + " is nowhere above its bottom " + bottom +
               place + ")";
    }
    if (!(gap.inside > 0.0)) {
        return "is nowhere inside the model: between its top " + top + " and its bottom " + bottom +
               " there is no room under the free surface and above the bottom of the model" +
               place + ", free surface at " + km(gap.sea_bed) + ", model to " + km(-model.depth_m) +
               ")";
    }
    std::string names;
    for (const std::string& cover : gap.covered_by) {
        names += (names.empty() ? "'" : ", '") + cover + "'";
    }
    return "is nowhere: volumes named before it cover it everywhere: " + names + place + ")";
}

/// The free surface must leave room for a model under it.
void check_floor(const VolumeLayout& layout, const VolumeModel& model, const PlanFrame& frame,
                 Findings& findings) {
    double lowest = kInfinity;
    LonLat place;
    for_each_line(model, kLines, [&](double u, double v, const auto&, const auto& heights) {
        if (heights[0] < lowest) {
            lowest = heights[0];
            place = frame.place(u, v);
        }
    });
    if (!(lowest > -model.depth_m)) {
        findings.fail("structure.free_surface", "'" + layout.free_surface +
                                                    "' reaches the bottom of "
                                                    "the model (" +
                                                    km(-model.depth_m) + ") at " + text_of(place) +
                                                    ": it is at " + km(lowest) + " depth");
    }
}

}  // namespace

std::vector<VolumeReach> find_reach(const VolumeLayout& layout, const VolumeModel& model,
                                    const PlanFrame& frame, Findings& findings) {
    check_floor(layout, model, frame, findings);
    const auto is_somewhere = [](const VolumeReach& r) { return r.anywhere; };
    std::vector<VolumeReach> reach = reach_on(model, kLines);
    if (!std::all_of(reach.begin(), reach.end(), is_somewhere)) {
        reach = reach_on(model, kMostLines);
    }
    for (std::size_t k = 0; k < reach.size(); ++k) {
        if (!reach[k].anywhere && !layout.volumes[k].may_be_nowhere) {
            findings.fail(layout.volumes[k].field, "volume '" + layout.volumes[k].name + "' " +
                                                       why_nowhere(model, model.volumes[k], frame));
        }
    }
    return reach;
}

}  // namespace kaname::earth
