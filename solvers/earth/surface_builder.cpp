// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/surface_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <optional>
#include <set>

#include "solvers/earth/plan_nodes.hpp"
#include "solvers/earth/surface_on_plan.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::earth {
namespace {

constexpr double kCoarsest_m = 4000.0;  ///< Slab2 has 5.5 km
constexpr double kNodesAcross = 400.0;
// Nodes are evenly spaced up to kEvenAround_m around the focus; beyond it their distance grows, to
// 1.4 times as much after kStretch_m. Elements, which grow by 0.05 or more of the distance, are
// larger everywhere.
constexpr double kEvenAround_m = 150e3;
constexpr double kStretch_m = 200e3;
constexpr double kMostNodes = 2e7;  ///< most nodes of one grid: 0.8 GB while it is made

std::string percent(double fraction) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %%", 100.0 * fraction);
    return text;
}

double area_deg2(const GriddedSurface& data) {
    const LonLatBox box = extent(data);
    return (box.east - box.west) * (box.north - box.south);
}

class Builder {
public:
    Builder(const VolumeLayout& layout, PlanGrids& grids, Findings& findings)
        : layout_(layout), grids_(grids), findings_(findings), built_(layout.surfaces.size()) {}

    /// Builds all surfaces that have a file: read one after the other, laid at the same time.
    void build_those_of_files() {
        std::vector<OnFile> files;
        for (std::size_t k = 0; k < layout_.surfaces.size(); ++k) {
            const SurfaceDefinition& surface = layout_.surfaces[k];
            if (!surface.depth_m && !surface.path.empty()) {
                tried_.insert(k);
                collect(k, [&] { read(k, files); });
            }
        }
        // Files that cover least take longest, since most must be extended: they come first.
        std::vector<std::size_t> order(files.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t i) { return area_deg2(files[i].data); });
        const auto lay = [&](std::int64_t i) {
            OnFile& file = files[order[i]];
            try {
                file.laid = lay_on_plan(file.data, *file.plan, file.shape);
            } catch (...) {
                file.failed = std::current_exception();
            }
        };
        parallel_for(std::ssize(files), lay, 1);
        for (OnFile& file : files) {
            collect(file.surface, [&] { take(file); });
        }
    }

    /// Builds surface k and those that it rests on; nullopt after a finding.
    const std::optional<ModelSurface>& build(std::size_t k) {
        if (!tried_.insert(k).second) {
            return built_[k];
        }
        const SurfaceDefinition& surface = layout_.surfaces[k];
        if (surface.depth_m) {
            built_[k] = ModelSurface{surface.name, HeightField(-*surface.depth_m), 0.0};
        } else {
            lay_below(k);
        }
        return built_[k];
    }

private:
    /// A surface whose file has been read.
    struct OnFile {
        std::size_t surface;
        GriddedSurface data;
        const PlanNodes* plan;
        SurfaceShape shape;
        LaidSurface laid = {};
        std::exception_ptr failed = {};
    };

    static std::string who(const SurfaceDefinition& surface) {
        return "surface '" + surface.name + "'";
    }

    /// Takes what `step` complains of as a violation of surface k's file.
    template <class Step>
    void collect(std::size_t k, const Step& step) {
        const SurfaceDefinition& surface = layout_.surfaces[k];
        findings_.collect(surface.field + ".path", who(surface), step);
    }

    /// How far [m] the grid must reach beyond the box for the surfaces that are laid below this
    /// one: the reach of their balls.
    [[nodiscard]] double margin(std::size_t k) const {
        double widest = 0.0;
        for (std::size_t d = 0; d < layout_.surfaces.size(); ++d) {
            if (layout_.surfaces[d].below == layout_.surfaces[k].name) {
                const double ball_m =
                    layout_.surfaces[d].vertical ? 0.0 : layout_.surfaces[d].thickness_m;
                widest = std::max(widest, ball_m + margin(d));
            }
        }
        return widest;
    }

    const PlanNodes* nodes(std::size_t k, double spacing_m) {
        const SurfaceDefinition& surface = layout_.surfaces[k];
        const double count = grids_.count(spacing_m, margin(k));
        if (count > kMostNodes) {
            findings_.fail(surface.field + ".spacing_m",
                           who(surface) + " would need " + std::to_string(count) +
                               " nodes, must be at most 2e7; got a spacing of " +
                               std::to_string(grids_.spacing_or_usual(spacing_m)) + " m");
            return nullptr;
        }
        return &grids_.nodes(spacing_m, margin(k));
    }

    static std::vector<double> heights_under(const HeightField& base, double depth_m,
                                             const HeightField::Grid& grid) {
        std::vector<double> z;
        for (int j = 0; j < grid.nv; ++j) {
            for (int i = 0; i < grid.nu; ++i) {
                z.push_back(base.z(grid.u(i), grid.v(j)) - depth_m);
            }
        }
        return z;
    }

    static SurfaceShape shape_of(const SurfaceDefinition& surface) {
        SurfaceShape shape;
        if (surface.has_limits) {
            shape.limits = DepthLimits(surface.min_depth_m, surface.max_depth_m);
        }
        shape.smoothing_m = surface.smoothing_length_m;
        return shape;
    }

    void read(std::size_t k, std::vector<OnFile>& files) {
        const SurfaceDefinition& surface = layout_.surfaces[k];
        GriddedSurface data = read_surface_file(surface.path, {surface.column, surface.unit});
        const PlanNodes* plan = nodes(k, surface.spacing_m);
        if (plan == nullptr) {
            return;
        }
        SurfaceShape shape = shape_of(surface);
        if (surface.name == layout_.free_surface) {
            shape.slope_decay_m = 0.0;  // a hillside must not become a mountain
        }
        files.push_back({k, std::move(data), plan, shape});
    }

    void take(OnFile& file) {
        if (file.failed) {
            std::rethrow_exception(file.failed);
        }
        const SurfaceDefinition& surface = layout_.surfaces[file.surface];
        LaidSurface& laid = file.laid;
        if (laid.extended_fraction > 0.0) {
            findings_.notes.push_back(who(surface) + ": " + percent(laid.extended_fraction) +
                                      " of the plan has no data in " + surface.path +
                                      " and is extended smoothly");
        }
        if (laid.limited_fraction > 0.0) {
            findings_.notes.push_back(who(surface) + ": " + percent(laid.limited_fraction) +
                                      " of the plan is beyond its limits of depth");
        }
        built_[file.surface] =
            ModelSurface{surface.name, std::move(laid.height), laid.extended_fraction,
                         std::make_shared<const DataMask>(std::move(laid.data))};
    }

    void lay_below(std::size_t k) {
        const SurfaceDefinition& surface = layout_.surfaces[k];
        const auto base_at =
            std::find_if(layout_.surfaces.begin(), layout_.surfaces.end(),
                         [&](const SurfaceDefinition& s) { return s.name == surface.below; });
        const std::optional<ModelSurface>& base =
            build(static_cast<std::size_t>(base_at - layout_.surfaces.begin()));
        if (!base) {
            return;
        }
        if (base->height.constant() && surface.outline_path.empty()) {
            const double depth = surface.thickness_m - base->height.lowest();
            const double z = -(surface.has_limits ? (*shape_of(surface).limits)(depth) : depth);
            built_[k] = ModelSurface{surface.name, HeightField(z), 0.0};
            return;
        }
        const PlanNodes* plan =
            nodes(k, surface.spacing_m > 0.0 ? surface.spacing_m : base_at->spacing_m);
        if (plan == nullptr) {
            return;
        }
        std::vector<double> z = surface.vertical
                                    ? heights_under(base->height, surface.thickness_m, plan->grid)
                                    : heights_below(base->height, surface.thickness_m, plan->grid);
        if (!surface.outline_path.empty() &&
            !findings_.collect(surface.field + ".outline_path", who(surface),
                               [&] { end_outside(surface, base->height, plan->grid, z); })) {
            return;
        }
        shape_heights(shape_of(surface), plan->grid, z);
        built_[k] = ModelSurface{surface.name, HeightField(plan->grid, z), base->extended_fraction,
                                 base->data};
    }

    /// Raises the surface to its base outside of the outline.
    void end_outside(const SurfaceDefinition& surface, const HeightField& base,
                     const HeightField::Grid& grid, std::vector<double>& z) const {
        const double over = surface.end_length_m > 0.0 ? surface.end_length_m : surface.thickness_m;
        const SurfaceOutline outline(surface.outline_path, grids_.frame(), over);
        for (std::size_t at = 0; at < z.size(); ++at) {
            const double u = grid.u(static_cast<int>(at) % grid.nu);
            const double v = grid.v(static_cast<int>(at) / grid.nu);
            const double top = base.z(u, v);
            z[at] = top - outline.weight(u, v) * (top - z[at]);
        }
    }

    const VolumeLayout& layout_;
    PlanGrids& grids_;
    Findings& findings_;
    std::vector<std::optional<ModelSurface>> built_;
    std::set<std::size_t> tried_;
};

}  // namespace

PlanGrids::PlanGrids(const VolumeLayout& layout, const Projection& projection)
    : frame_(projection, layout.azimuth_rad), extent_{layout.size_u_m, layout.size_v_m} {
    if (layout.focus) {
        extent_.stretch_u = {layout.focus->low_u - kEvenAround_m,
                             layout.focus->high_u + kEvenAround_m, kStretch_m};
        extent_.stretch_v = {layout.focus->low_v - kEvenAround_m,
                             layout.focus->high_v + kEvenAround_m, kStretch_m};
    }
}

PlanExtent PlanGrids::extent(double spacing_m) const {
    return spacing_m > 0.0 ? PlanExtent{extent_.size_u_m, extent_.size_v_m} : extent_;
}

double PlanGrids::spacing_or_usual(double spacing_m) const {
    return spacing_m > 0.0
               ? spacing_m
               : std::min(kCoarsest_m, std::max(extent_.size_u_m, extent_.size_v_m) / kNodesAcross);
}

double PlanGrids::count(double spacing_m, double margin_m) const {
    return PlanNodes::count(extent(spacing_m), spacing_or_usual(spacing_m), margin_m);
}

const PlanNodes& PlanGrids::nodes(double spacing_m, double margin_m) {
    const double spacing = spacing_or_usual(spacing_m);
    const auto key = std::make_tuple(spacing_m, margin_m);
    const auto found = made_.find(key);
    return found != made_.end()
               ? found->second
               : made_.emplace(key, PlanNodes(frame_, extent(spacing_m), spacing, margin_m))
                     .first->second;
}

std::vector<ModelSurface> build_surfaces(const VolumeLayout& layout, PlanGrids& grids,
                                         Findings& findings) {
    Builder builder(layout, grids, findings);
    builder.build_those_of_files();
    std::vector<ModelSurface> surfaces(1, ModelSurface{"free surface", HeightField(0.0), 0.0});
    bool complete = true;
    for (std::size_t k = 0; k < layout.surfaces.size(); ++k) {
        const std::optional<ModelSurface>& built = builder.build(k);
        if (!built) {
            complete = false;
        } else if (built->name == layout.free_surface) {
            surfaces[0] = *built;
        } else {
            surfaces.push_back(*built);
        }
    }
    return complete ? surfaces : std::vector<ModelSurface>{};
}

namespace {

const SurfaceDefinition* find_surface(const VolumeLayout& layout, const std::string& name) {
    const auto at = std::find_if(layout.surfaces.begin(), layout.surfaces.end(),
                                 [&](const SurfaceDefinition& s) { return s.name == name; });
    return at == layout.surfaces.end() ? nullptr : &*at;
}

void check_numbers(const SurfaceDefinition& surface, const std::string& who, Findings& findings) {
    const auto require = [&](bool holds, const char* field, const char* rule, double value) {
        if (!holds) {
            findings.fail(surface.field + "." + field,
                          who + " must be " + rule + ", got " + std::to_string(value));
        }
    };
    const auto is_length = [](double value) { return std::isfinite(value) && value >= 0.0; };
    require(!surface.depth_m || std::isfinite(*surface.depth_m), "depth_m", "finite",
            surface.depth_m.value_or(0.0));
    require(surface.below.empty() || (is_length(surface.thickness_m) && surface.thickness_m > 0.0),
            "thickness_m", "finite and > 0", surface.thickness_m);
    require(is_length(surface.smoothing_length_m), "smoothing_length_m", "finite and >= 0",
            surface.smoothing_length_m);
    require(is_length(surface.spacing_m), "spacing_m", "finite and >= 0", surface.spacing_m);
    if (!surface.has_limits) {
        return;
    }
    if (surface.depth_m) {
        findings.fail(surface.field + ".min_depth_m",
                      who + " has a constant depth; limits are for surfaces with data");
    }
    if (!std::isfinite(surface.min_depth_m) || !std::isfinite(surface.max_depth_m) ||
        !(surface.min_depth_m < surface.max_depth_m)) {
        findings.fail(surface.field + ".min_depth_m",
                      who + " must have min_depth_m < max_depth_m, got " +
                          std::to_string(surface.min_depth_m) + " and " +
                          std::to_string(surface.max_depth_m));
    }
}

/// Follows `below` until it ends, meets an unknown name or comes back.
void check_chain(const VolumeLayout& layout, const SurfaceDefinition& surface, Findings& findings) {
    std::string chain = "'" + surface.name + "'";
    const SurfaceDefinition* at = &surface;
    for (std::size_t steps = 0; !at->below.empty(); ++steps) {
        const SurfaceDefinition* base = find_surface(layout, at->below);
        if (base == nullptr) {
            if (at == &surface) {
                findings.fail(surface.field + ".below", "surface '" + surface.name +
                                                            "' lies below '" + at->below +
                                                            "', which is no surface");
            }
            return;
        }
        chain += " below '" + base->name + "'";
        if (base == &surface || steps > layout.surfaces.size()) {
            if (base == &surface) {
                findings.fail(surface.field + ".below", "must not be circular: " + chain);
            }
            return;
        }
        at = base;
    }
}

}  // namespace

int surface_index(const VolumeLayout& layout, const std::string& name) {
    if (name.empty()) {
        return -1;
    }
    if (name == layout.free_surface) {
        return 0;
    }
    int index = 0;
    for (const SurfaceDefinition& surface : layout.surfaces) {
        if (surface.name == layout.free_surface) {
            continue;
        }
        ++index;
        if (surface.name == name) {
            return index;
        }
    }
    return -1;
}

void check_surfaces(const VolumeLayout& layout, Findings& findings) {
    const std::size_t count = layout.surfaces.size() + (layout.free_surface.empty() ? 1 : 0);
    if (count > static_cast<std::size_t>(kMaxSurfaces)) {
        findings.fail("structure.surfaces", "must be at most " + std::to_string(kMaxSurfaces) +
                                                " with the free surface, got " +
                                                std::to_string(count));
    }
    std::set<std::string> names;
    for (const SurfaceDefinition& surface : layout.surfaces) {
        const std::string who = "surface '" + surface.name + "'";
        if (surface.name.empty()) {
            findings.fail(surface.field + ".name", "must not be empty");
        } else if (!names.insert(surface.name).second) {
            findings.fail(surface.field + ".name",
                          "'" + surface.name + "' is the name of two surfaces");
        }
        const int given = int(surface.depth_m.has_value()) + int(!surface.path.empty()) +
                          int(!surface.below.empty());
        if (given != 1) {
            findings.fail(surface.field,
                          who + " must have exactly one of depth, path and below, got " +
                              (given == 0 ? "none" : std::to_string(given)));
        }
        check_numbers(surface, who, findings);
        check_chain(layout, surface, findings);
    }
    if (!layout.free_surface.empty() && find_surface(layout, layout.free_surface) == nullptr) {
        findings.fail("structure.free_surface", "'" + layout.free_surface + "' is no surface");
    }
}

}  // namespace kaname::earth
