// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/scenario_models.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/registry/slip_table_in_model.hpp"
#include "solvers/slip_model/off_plane.hpp"
#include "solvers/slip_model/read_slip_model.hpp"
#include "solvers/sources/fault_surface.hpp"

namespace kaname::registry {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr const char* kPoints = "points";

slip_model::SlipModel inline_model(const SlipModelSpec& spec) {
    slip_model::SlipModel model;
    model.name = spec.id;
    model.patches = spec.patches;
    for (std::size_t k = 0; k < model.patches.size(); ++k) {
        slip_model::SlipPatch& patch = model.patches[k];
        const auto same = std::ranges::find_if(model.segments, [&](const auto& segment) {
            return segment.strike_deg == patch.strike_deg && segment.dip_deg == patch.dip_deg;
        });
        patch.segment = static_cast<int>(same - model.segments.begin());
        if (same == model.segments.end()) {
            model.segments.push_back({patch.strike_deg, patch.dip_deg});
        }
    }
    return model;
}

ScenarioModel read_model(const SlipModelSpec& spec,
                         const std::optional<earth::Projection>& projection) {
    ScenarioModel model;
    model.spec = &spec;
    if (spec.format == kPoints) {
        model.points = slip_table_in_model(spec.path, spec.field, projection);
        return model;
    }
    if (spec.path.empty()) {
        model.patches = inline_model(spec);
    } else {
        slip_model::ReadOptions options;
        if (!spec.format.empty()) {
            options.format = slip_model::slip_format(spec.format);
        }
        model.patches = slip_model::read_slip_model(spec.path, options);
    }
    model.placed = projection ? slip_model::place(model.patches, *projection)
                              : slip_model::place(model.patches, Vec3{});
    slip_model::SampleOptions options;
    options.interpolation =
        spec.constant ? slip_model::Interpolation::Constant : slip_model::Interpolation::Bilinear;
    if (spec.max_distance_m > 0.0) {
        options.max_distance_m = spec.max_distance_m;
    }
    model.sampler.emplace(model.placed, options);
    return model;
}

std::string format_text(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

std::vector<Vec3> ScenarioModel::outline(double cell_m) const {
    if (points) {
        return points->places;
    }
    std::vector<Vec3> around;
    const auto grids = sampler->grids();
    for (const slip_model::PlacedPatch& patch : placed.patches) {
        // Bilinear slip ends half a patch beyond the outer ones, constant slip within a cell.
        const bool tapered = !spec->constant && grids[patch.segment].n_strike > 0;
        const double half_s = tapered ? patch.length_m : 0.525 * patch.length_m + cell_m;
        const double half_d = tapered ? patch.width_m : 0.525 * patch.width_m + cell_m;
        for (const double s : {-half_s, half_s}) {
            for (const double d : {-half_d, half_d}) {
                around.push_back(patch.centre + s * patch.along_strike() + d * patch.down_dip());
            }
        }
    }
    return around;
}

std::vector<ScenarioModel> read_models(const Scenario& scenario,
                                       const std::optional<earth::Projection>& projection) {
    std::vector<ScenarioModel> models;
    std::vector<Violation> broken;
    for (const SlipModelSpec& spec : scenario.models) {
        try {
            models.push_back(read_model(spec, projection));
        } catch (const ValidationError& error) {
            broken.insert(broken.end(), error.violations().begin(), error.violations().end());
        } catch (const Error& error) {
            broken.push_back({spec.field, error.what()});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return models;
}

SlipFrame frame_of(const std::vector<ScenarioModel>& models) {
    SlipFrame frame;
    Vec3 strike;
    double sum = 0.0;
    const auto add = [&](const Vec3& x, const Vec3& along, double weight) {
        frame.centre += weight * x;
        strike += weight * along;
        sum += weight;
    };
    for (const ScenarioModel& model : models) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            add(patch.centre, patch.along_strike(), patch.area_m2() * (norm(patch.slip_m) + 1e-6));
        }
        for (std::size_t k = 0; model.points && k < model.points->places.size(); ++k) {
            add(model.points->places[k], {}, norm(model.points->slip[k]) + 1e-6);
        }
    }
    frame.centre = (1.0 / sum) * frame.centre;
    if (norm(strike) > 0.0) {
        frame.strike_rad = std::atan2(strike.x, strike.y);
    }
    return frame;
}

PlaneOutline common_plane(const std::vector<ScenarioModel>& models, double cell_m) {
    const auto several = [](const std::string& why) {
        return ValidationError({{"fault", "must be given: " + why}});
    };
    if (models.front().points) {
        throw several("slip at points says nothing about the fault's plane");
    }
    const slip_model::PlacedPatch& first = models.front().placed.patches.front();
    PlaneOutline plane;
    plane.strike_rad = first.strike_rad;
    plane.dip_rad = first.dip_rad;
    const sources::PlaneFault axes(first.centre, plane.strike_rad, plane.dip_rad);
    double s_min = kInf, s_max = -kInf, d_min = kInf, d_max = -kInf;
    bool to_surface = false;
    for (const ScenarioModel& model : models) {
        if (model.points) {
            throw several("slip at points says nothing about the fault's plane");
        }
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            if (const std::string off = slip_model::off_plane(first, patch); !off.empty()) {
                throw several("patch " + patch.id + " of " + model.spec->field + " " + off +
                              ". Give fault.plane, which takes the slip within the model's "
                              "max_distance_m of it, or fault.interface, or a mesh file with the "
                              "bent fault");
            }
        }
        for (const slip_model::SegmentGrid& grid : model.sampler->grids()) {
            to_surface = to_surface || grid.to_surface;
        }
        for (const Vec3& x : model.outline(cell_m)) {
            const sources::FaultCoordinates at = axes.coordinates(x);
            s_min = std::min(s_min, at.s);
            s_max = std::max(s_max, at.s);
            d_min = std::min(d_min, at.d);
            d_max = std::max(d_max, at.d);
        }
    }
    // Nothing lies above the surface; a rim less than half a cell under it is moved up to it.
    const double surface_d = first.centre.z / std::sin(plane.dip_rad);
    if (to_surface || d_min < surface_d + 0.5 * cell_m) {
        d_min = surface_d;
    }
    plane.top_centre = axes.point({0.5 * (s_min + s_max), d_min});
    if (d_min == surface_d) {
        plane.top_centre.z = 0.0;
    }
    plane.length_m = s_max - s_min;
    plane.width_m = d_max - d_min;
    return plane;
}

std::vector<std::string> event_notes(const Scenario& scenario,
                                     const std::vector<ScenarioModel>& models,
                                     const earth::LayeredStructure& structure,
                                     const VolumeGeometry* volumes) {
    std::vector<std::string> notes;
    for (const ScenarioEvent& event : scenario.events) {
        const ScenarioModel& model = models[event.model];
        const std::string name = "event " + event.name + ": ";
        if (model.points) {
            notes.push_back(name + "slip at " + std::to_string(model.points->places.size()) +
                            " points");
            continue;
        }
        if (structure.layers.empty() && volumes == nullptr) {
            // The mesh says where materials are: the moment is known when it is read.
            notes.push_back(name + std::to_string(model.patches.patches.size()) + " patches");
            continue;
        }
        // Above an interface everywhere: how deep it lies at a patch is not the model's to say.
        const auto mu_pa = [&](double depth_m) {
            return structure.materials[structure.material_at(std::max(depth_m, 0.0), kInf)].mu_pa;
        };
        const slip_model::MomentSum sum =
            volumes != nullptr ? slip_model::seismic_moment(
                                     model.placed, [&](const Vec3& x) { return volumes->mu_pa(x); })
                               : slip_model::seismic_moment(model.patches, mu_pa);
        const double moment = std::abs(event.scale) * sum.moment_nm;
        notes.push_back(name + std::to_string(model.patches.patches.size()) + " patches, Mw " +
                        format_text("%.2f", slip_model::moment_magnitude(moment)) + " (" +
                        format_text("%.3g N m), largest slip ", moment) +
                        format_text("%.3g m", std::abs(event.scale) * sum.max_slip_m));
    }
    for (const ScenarioModel& model : models) {
        for (const std::string& warning : model.patches.warnings) {
            notes.push_back(model.spec->field + ": " + warning);
        }
    }
    return notes;
}

}  // namespace kaname::registry
