// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/model_sources.hpp"

#include <algorithm>
#include <limits>

#include "solvers/base/text.hpp"
#include "solvers/jobs/geometry/models_on_mesh.hpp"

namespace kaname::jobs {
namespace {

/// The shortest side of the patches that slip.
double finest_side_m(const ScenarioModel& model) {
    double side_m = std::numeric_limits<double>::infinity();
    for (const slip_model::PlacedPatch& patch : model.placed.patches) {
        if (norm(patch.slip_m) > 0.0) {
            side_m = std::min({side_m, patch.length_m, patch.width_m});
        }
    }
    return side_m;
}

/// Visits the points of a model, where it has any, whose slip is not zero.
template <class Visit>
void for_slipping_points(const ScenarioModel& model, const Visit& visit) {
    for (std::size_t k = 0; model.points && k < model.points->places.size(); ++k) {
        if (norm(model.points->slip[k]) > 0.0) {
            visit(model.points->places[k]);
        }
    }
}

constexpr double kStandsOut = 0.01;  // share of a patch above the ground that its rounding makes

/// Refuses rectangles of the specification that stick out of the ground, and a file's patches that
/// lie above it as a whole.
void check_ground(const ScenarioModel& model, const Domain& domain,
                  std::vector<Violation>& violations) {
    const bool file = !model.spec->path.empty();
    for (std::size_t k = 0; k < model.placed.patches.size(); ++k) {
        const slip_model::PlacedPatch& patch = model.placed.patches[k];
        const AboveGround above = above_ground(patch, domain);
        const std::string edge = "its upper edge is " + number(above.highest_m / 1000.0) +
                                 " km above the ground, and the part above, " +
                                 formatted("%.3g %%", 100.0 * above.share) + " of it, cannot slip";
        if (file && above.share >= 1.0 && norm(patch.slip_m) > 0.0) {
            violations.push_back({model.spec->field,
                                  "patch " + patch.id + ": " + edge +
                                      " (depths count down from sea level and must be positive)"});
            break;
        }
        if (!file && above.share > kStandsOut) {
            const slip_model::SlipPatch& given = model.patches.patches[k];
            violations.push_back(
                {model.spec->field + "[" + std::to_string(k) + "].depth_m",
                 "must be that of the patch's centre, got " + number(given.depth_m / 1000.0) +
                     " km: less half of the width, " + number(0.5 * given.width_m / 1000.0) +
                     " km, times sin " + number(given.dip_deg) + ": " + edge});
        }
    }
}

}  // namespace

std::vector<std::string> ModelSources::ids() const {
    std::vector<std::string> ids;
    for (const ScenarioModel& model : models_) {
        ids.push_back(model.spec->id);
    }
    return ids;
}

std::string ModelSources::content_key(const std::string& id) const {
    const auto found = std::ranges::find_if(
        models_, [&](const ScenarioModel& model) { return model.spec->id == id; });
    return found == models_.end() ? "" : found->spec->key;
}

std::vector<Vec3> ModelSources::centres() const {
    std::vector<Vec3> centres;
    for (const ScenarioModel& model : models_) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            centres.push_back(patch.centre);
        }
        for_slipping_points(model, [&](const Vec3& x) { centres.push_back(x); });
    }
    return centres;
}

bool ModelSources::any_place(const PlaceTest& test) const {
    return std::ranges::any_of(models_, [&](const ScenarioModel& model) {
        bool any = false;
        for_slipping_points(model, [&](const Vec3& x) { any = any || test(x, {0.0, 0.0, 1.0}); });
        return any || std::ranges::any_of(model.placed.patches, [&](const auto& patch) {
                   return norm(patch.slip_m) > 0.0 &&
                          std::ranges::any_of(kDownDip, [&](double down) {
                              return test(patch.centre + down * patch.width_m * patch.down_dip(),
                                          patch.normal());
                          });
               });
    });
}

void ModelSources::check(std::vector<Violation>& violations) const {
    for (const ScenarioModel& model : models_) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            if (!domain_.inside_box(patch.centre)) {
                const std::string at =
                    domain_.projected() ? domain_.lonlat_text(patch.centre) + ", " : "";
                violations.push_back(
                    {model.spec->field, "patch " + patch.id + " must lie inside the region, got " +
                                            at + number(patch.centre.x / 1000.0) + " km east and " +
                                            number(patch.centre.y / 1000.0) +
                                            " km north of its centre at depth " +
                                            number(-patch.centre.z) + " m"});
                break;
            }
        }
        if (domain_.has_volumes()) {
            check_ground(model, domain_, violations);
        }
    }
}

std::vector<std::string> ModelSources::warnings() const {
    std::vector<std::string> result;
    for (const ScenarioModel& model : models_) {
        if (const AboveGround above =
                domain_.has_volumes() ? above_ground(model, domain_) : AboveGround{};
            above.share > kStandsOut * kStandsOut) {
            result.push_back(model.spec->field + ": its patches stick out of the ground by up to " +
                             number(above.highest_m / 1000.0) +
                             " km: " + formatted("%.3g %%", 100.0 * above.share) +
                             " of its potency lies above it and does not slip");
        }
        if (const double side_m = finest_side_m(model); job_.mesh.size_at_fault_m > side_m) {
            result.push_back("mesh.size_at_fault: elements of " +
                             number(job_.mesh.size_at_fault_m / 1000.0) +
                             " km are larger than patches of event '" + model.spec->id + "', " +
                             number(side_m / 1000.0) +
                             " km: they keep each patch's potency and place, but closer to the "
                             "fault than an element the motion is that of slip as coarse as they");
        }
    }
    return result;
}

std::vector<std::string> ModelSources::notes() const {
    return event_notes(*job_.scenario, models_, domain_);
}

std::unique_ptr<SlipOnMesh> ModelSources::on(const MeshedFault& fault) const {
    return std::make_unique<ModelsOnMesh>(job_, domain_, models_, fault_.segment_faults(fault.mesh),
                                          fault);
}

}  // namespace kaname::jobs
