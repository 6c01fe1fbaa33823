// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/scenario_models.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/place_on_map.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "worker/jobs/geometry/sources/table_sources.hpp"

namespace kaname::jobs {
namespace {

std::string patches_text(const ScenarioModel& model) {
    const std::size_t n = model.patches.patches.size();
    return std::to_string(n) + (n == 1 ? " patch" : " patches");
}

constexpr const char* kPoints = "points";

/// Patches whose orientation is the same within a degree, and whose centres lie in one plane.
bool in_one_segment(const slip_model::SlipPatch& first, const slip_model::SlipPatch& patch) {
    constexpr double kAngle_deg = 1.0;
    constexpr double kOff = 0.05;  // how far a centre may be off the plane, in patch widths
    if (std::abs(std::remainder(patch.strike_deg - first.strike_deg, 360.0)) > kAngle_deg ||
        std::abs(patch.dip_deg - first.dip_deg) > kAngle_deg) {
        return false;
    }
    const Vec3 off = slip_model::local_offset({first.lon_deg, first.lat_deg, first.depth_m},
                                              {patch.lon_deg, patch.lat_deg, patch.depth_m});
    const slip_model::PlaneAxes axes =
        slip_model::plane_axes(first.strike_deg * kDegree, first.dip_deg * kDegree);
    // The stated plane may be turned against the centres by as much as the angle.
    return std::abs(dot(off, axes.normal)) <=
           kOff * patch.width_m + std::sin(kAngle_deg * kDegree) * norm(off);
}

slip_model::SlipModel inline_model(const SlipModelSource& source) {
    slip_model::SlipModel model;
    model.name = source.id;
    model.patches = source.patches;
    std::vector<std::size_t> first;  // patch of each segment
    for (std::size_t k = 0; k < model.patches.size(); ++k) {
        slip_model::SlipPatch& patch = model.patches[k];
        const auto same = std::ranges::find_if(
            first, [&](std::size_t of) { return in_one_segment(model.patches[of], patch); });
        patch.segment = static_cast<int>(same - first.begin());
        if (same == first.end()) {
            first.push_back(k);
            model.segments.push_back({patch.strike_deg, patch.dip_deg});
        }
    }
    return model;
}

slip_model::PlacedModel placed(const slip_model::SlipModel& model, const SlipModelSource& source,
                               const std::optional<earth::Projection>& projection) {
    if (model.geographic) {
        if (source.origin) {
            throw Error(ErrorCode::InvalidArgument,
                        "origin must be left out: the file has longitudes and latitudes");
        }
        if (!projection) {
            throw Error(ErrorCode::InvalidArgument,
                        "must be in a local frame: the file has longitudes and latitudes, and "
                        "region.crs is none");
        }
        return fault::place_on_map(model, *projection);
    }
    if (!projection) {
        return slip_model::place(
            model, source.origin ? Vec3{source.origin->x_m, source.origin->y_m, 0.0} : Vec3{});
    }
    if (!source.origin) {
        throw Error(ErrorCode::InvalidArgument,
                    "origin must be given, with lon_deg and lat_deg: the file's coordinates count "
                    "from a place that it does not say");
    }
    return fault::place_on_map(model, *projection,
                               {source.origin->lon_deg, source.origin->lat_deg});
}

/// Turns a moment from true east and north to those of the grid: true north lies `convergence_rad`
/// clockwise of grid north.
std::array<double, 6> turned(const std::array<double, 6>& m, double convergence_rad) {
    const double c = std::cos(convergence_rad), s = std::sin(convergence_rad);
    const double xx = m[0], yy = m[1], yz = m[3], xz = m[4], xy = m[5];
    return {c * c * xx + 2.0 * c * s * xy + s * s * yy,
            s * s * xx - 2.0 * c * s * xy + c * c * yy,
            m[2],
            c * yz - s * xz,
            c * xz + s * yz,
            (c * c - s * s) * xy - c * s * (xx - yy)};
}

fault::PointMoment placed(const SlipModelSource::Moment& moment,
                          const std::optional<earth::Projection>& projection) {
    if (!projection) {
        throw Error(ErrorCode::InvalidArgument,
                    "must not be given: it has longitude and latitude, and region.crs is none");
    }
    const earth::LonLat at{moment.lon_deg, moment.lat_deg};
    const earth::MapPoint point = projection->forward(at);
    return {{point.x_m, point.y_m, -moment.depth_m},
            turned(moment.moment_nm, projection->convergence(at))};
}

ScenarioModel read_model(const SlipModelSource& source,
                         const std::optional<earth::Projection>& projection) {
    ScenarioModel model;
    model.source = &source;
    if (source.moment) {
        model.moment = placed(*source.moment, projection);
        return model;
    }
    if (source.format == kPoints) {
        model.points = slip_table_in_model(source.path, source.field, projection);
        return model;
    }
    if (source.path.empty()) {
        model.patches = inline_model(source);
    } else {
        slip_model::ReadOptions options = source.read;
        if (!source.format.empty()) {
            options.format = slip_model::slip_format(source.format);
        }
        model.patches = slip_model::read_slip_model(source.path, options);
    }
    model.placed = placed(model.patches, source, projection);
    model.sampler.emplace(model.placed, sample_options(source));
    return model;
}

/// Adds notes on patches to which bilinear interpolation was not applied.
void add_grid_notes(const ScenarioModel& model, std::vector<std::string>& notes) {
    if (model.source->interpolation == slip_model::Interpolation::Constant || !model.sampler) {
        return;
    }
    int alone = 0, gaps = 0, few = 0;
    for (const slip_model::SegmentGrid& grid : model.sampler->grids()) {
        few += grid.n_strike > 0 && !grid.bilinear ? grid.patches : 0;
        alone += grid.n_strike == 0 ? grid.patches : 0;
        gaps += grid.n_strike > 0 ? grid.n_strike * grid.n_dip - grid.patches : 0;
    }
    if (alone > 0) {
        notes.push_back(model.source->field + ": " + std::to_string(alone) +
                        " patches form no grid: their slip is constant in each, not bilinear");
    }
    if (few > 0) {
        notes.push_back(model.source->field + ": the slip of " + std::to_string(few) +
                        " patches in segments of fewer than 4 rows or columns is constant in each: "
                        "bilinear it would reach half a patch beyond them (interpolation: bilinear "
                        "does so)");
    }
    if (gaps > 0) {
        notes.push_back(model.source->field + ": " + std::to_string(gaps) +
                        " cells of its grids have no patch and do not slip");
    }
}

}  // namespace

slip_model::SampleOptions sample_options(const SlipModelSource& source) {
    slip_model::SampleOptions options;
    options.interpolation = source.interpolation;
    if (source.max_distance_m > 0.0) {
        options.max_distance_m = source.max_distance_m;
    }
    return options;
}

std::vector<Vec3> moment_places(const GreensJob& job, const Domain& domain) {
    std::vector<Vec3> places;
    for (std::size_t k = 0; job.scenario && k < job.scenario->models.size(); ++k) {
        const auto& moment = job.scenario->models[k].moment;
        if (moment && domain.projected()) {
            places.push_back(placed(*moment, domain.optional_projection()).at);
        }
    }
    return places;
}

std::vector<Vec3> ScenarioModel::outline(double cell_m, const SegmentFilter& of) const {
    if (moment) {
        return {};
    }
    if (points) {
        return of(0) ? points->places : std::vector<Vec3>{};
    }
    std::vector<Vec3> around;
    const auto grids = sampler->grids();
    for (const slip_model::PlacedPatch& patch : placed.patches) {
        if (!of(patch.segment)) {
            continue;
        }
        // Bilinear slip ends half a patch beyond the outer ones, constant slip within a cell.
        const slip_model::SegmentGrid& grid = grids[patch.segment];
        const double half_s = grid.bilinear ? patch.length_m : 0.525 * patch.length_m + cell_m;
        const double constant_d = 0.525 * patch.width_m + cell_m;
        const double down = grid.bilinear ? patch.width_m : constant_d;
        const double up = grid.bilinear && !grid.ends_at_top ? patch.width_m : constant_d;
        for (const double s : {-half_s, half_s}) {
            for (const double d : {-up, down}) {
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
    for (const SlipModelSource& source : scenario.models) {
        try {
            models.push_back(read_model(source, projection));
        } catch (const ValidationError& error) {
            broken.insert(broken.end(), error.violations().begin(), error.violations().end());
        } catch (const Error& error) {
            broken.push_back({source.field, error.what()});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return models;
}

AboveGround above_ground(const slip_model::PlacedPatch& patch, const Domain& domain) {
    const Vec3 down = patch.down_dip();
    const Vec3 edge = patch.centre - 0.5 * patch.width_m * down;
    const double height_m = edge.z - domain.ground_m(edge.x, edge.y);
    const double drop_m = -patch.width_m * down.z;
    const double share =
        drop_m > 0.0 ? std::clamp(height_m / drop_m, 0.0, 1.0) : (height_m > 0.0 ? 1.0 : 0.0);
    return {share, height_m};
}

AboveGround above_ground(const ScenarioModel& model, const Domain& domain) {
    AboveGround all{0.0, -kInf};
    double potency_m3 = 0.0;
    for (const slip_model::PlacedPatch& patch : model.placed.patches) {
        const double here_m3 = patch.area_m2() * norm(patch.slip_m);
        const AboveGround one = above_ground(patch, domain);
        all.highest_m = here_m3 > 0.0 ? std::max(all.highest_m, one.highest_m) : all.highest_m;
        all.share += one.share * here_m3;
        potency_m3 += here_m3;
    }
    all.share = potency_m3 > 0.0 ? all.share / potency_m3 : 0.0;
    return all;
}

SlipFrame frame_of(std::span<const ScenarioModel> models, const ModelFilter& of) {
    SlipFrame frame;
    Vec3 strike;
    double sum = 0.0;
    const auto add = [&](const Vec3& x, const Vec3& along, double weight) {
        frame.centre += weight * x;
        strike += weight * along;
        sum += weight;
    };
    for (std::size_t m = 0; m < models.size(); ++m) {
        const ScenarioModel& model = models[m];
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            if (of(m, patch.segment)) {
                add(patch.centre, patch.along_strike(),
                    patch.area_m2() * (norm(patch.slip_m) + 1e-6));
            }
        }
        for (std::size_t k = 0; model.points && of(m, 0) && k < model.points->places.size(); ++k) {
            add(model.points->places[k], {}, norm(model.points->slip[k]) + 1e-6);
        }
    }
    frame.centre = (1.0 / sum) * frame.centre;
    if (norm(strike) > 0.0) {
        frame.strike_rad = std::atan2(strike.x, strike.y);
    }
    return frame;
}

namespace {

/// EventSize is the size of one event; the moment is NaN where the mesh alone knows the rock.
struct EventSize {
    double moment_nm = std::numeric_limits<double>::quiet_NaN();
    double slip_m = 0.0;
};

EventSize size_of(const ScenarioEvent& event, const ScenarioModel& model, const Domain& domain) {
    const double scale = std::abs(event.scale);
    if (model.moment) {
        return {scale * slip_model::scalar_moment(model.moment->moment_nm), 0.0};
    }
    if (!domain.has_volumes()) {
        EventSize size;
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            size.slip_m = std::max(size.slip_m, scale * norm(patch.slip_m));
        }
        return size;
    }
    const slip_model::MomentSum sum = slip_model::seismic_moment(
        model.placed, [&](const Vec3& x) { return domain.volumes().mu_pa(x); });
    return {scale * sum.moment_nm, scale * sum.max_slip_m};
}

}  // namespace

std::vector<std::string> implausible_events(const Scenario& scenario,
                                            std::span<const ScenarioModel> models,
                                            const Domain& domain) {
    constexpr double kMostSlip_m = 100.0, kMostMagnitude = 9.7;
    std::vector<std::string> warnings;
    for (const ScenarioEvent& event : scenario.events) {
        const ScenarioModel& model = models[event.model];
        if (model.points) {
            continue;
        }
        const EventSize size = size_of(event, model, domain);
        const double magnitude = slip_model::moment_magnitude(size.moment_nm);
        if (size.slip_m > kMostSlip_m || magnitude > kMostMagnitude) {
            warnings.push_back("event '" + event.name + "': largest slip " +
                               formatted("%.3g m", size.slip_m) +
                               (std::isfinite(magnitude) ? formatted(", Mw %.2f", magnitude) : "") +
                               ": more than any earthquake's; is its slip in centimetres, or its "
                               "scale or rigidity in another unit?");
        }
    }
    return warnings;
}

std::vector<std::string> event_notes(const Scenario& scenario,
                                     std::span<const ScenarioModel> models, const Domain& domain) {
    std::vector<std::string> notes;
    for (const ScenarioEvent& event : scenario.events) {
        const ScenarioModel& model = models[event.model];
        const std::string name = "event " + event.name + ": ";
        if (model.points) {
            notes.push_back(name + "slip at " + std::to_string(model.points->places.size()) +
                            " points");
            continue;
        }
        if (model.moment) {
            const double moment_nm = size_of(event, model, domain).moment_nm;
            notes.push_back(name + "moment tensor at a point, Mw " +
                            formatted("%.2f", slip_model::moment_magnitude(moment_nm)) +
                            formatted(" (%.3g N m)", moment_nm));
            continue;
        }
        if (!domain.has_volumes()) {
            // The mesh says where materials are: the moment is known when it is read.
            notes.push_back(name + patches_text(model));
            continue;
        }
        const EventSize size = size_of(event, model, domain);
        notes.push_back(name + patches_text(model) + ", Mw " +
                        formatted("%.2f", slip_model::moment_magnitude(size.moment_nm)) + " (" +
                        formatted("%.3g N m), largest slip ", size.moment_nm) +
                        formatted("%.3g m", size.slip_m));
    }
    for (const ScenarioModel& model : models) {
        for (const std::string& warning : model.patches.warnings) {
            notes.push_back(model.source->field + ": " + warning);
        }
        add_grid_notes(model, notes);
    }
    return notes;
}

}  // namespace kaname::jobs
