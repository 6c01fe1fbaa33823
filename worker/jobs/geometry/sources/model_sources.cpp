// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/model_sources.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/fault/table_slip.hpp"
#include "solvers/fault/unit_source.hpp"
#include "solvers/p2/locate.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"

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

/// Refuses rectangles of the request that stick out of the ground, and a file's patches that
/// lie above it as a whole.
void check_ground(const ScenarioModel& model, const Domain& domain,
                  std::vector<Violation>& violations) {
    const bool file = !model.source->path.empty();
    for (std::size_t k = 0; k < model.placed.patches.size(); ++k) {
        const slip_model::PlacedPatch& patch = model.placed.patches[k];
        const AboveGround above = above_ground(patch, domain);
        const std::string edge = "its upper edge is " + number(above.highest_m / 1000.0) +
                                 " km above the ground, and the part above, " +
                                 formatted("%.3g %%", 100.0 * above.share) + " of it, cannot slip";
        if (file && above.share >= 1.0 && norm(patch.slip_m) > 0.0) {
            violations.push_back({model.source->field,
                                  "patch " + patch.id + ": " + edge +
                                      " (depths count down from sea level and must be positive)"});
            break;
        }
        if (!file && above.share > kStandsOut) {
            const slip_model::SlipPatch& given = model.patches.patches[k];
            violations.push_back({model.source->field + "[" + std::to_string(k) + "].depth_m",
                                  "must be the depth of the patch's centre, at least " +
                                      number((given.depth_m + above.highest_m) / 1000.0) +
                                      " km for its width and dip, got " +
                                      number(given.depth_m / 1000.0) + " km: " + edge});
        }
    }
}

/// Refuses moments outside of the region or above its ground.
void check_moment(const ScenarioModel& model, const Domain& domain,
                  std::vector<Violation>& violations) {
    const Vec3& at = model.moment->at;
    if (!domain.inside_box(at)) {
        violations.push_back({model.source->field,
                              "must lie inside the region, got " + domain.lonlat_text(at) + ", " +
                                  number(at.x / 1000.0) + " km east and " + number(at.y / 1000.0) +
                                  " km north of its centre at depth " + number(-at.z) + " m"});
    } else if (domain.has_volumes() && at.z >= domain.ground_m(at.x, at.y)) {
        violations.push_back({model.source->field, "must lie below the ground, which is " +
                                                       number(-domain.ground_m(at.x, at.y)) +
                                                       " m deep there, got depth " + number(-at.z) +
                                                       " m"});
    }
}

}  // namespace

std::vector<std::string> ModelSources::ids() const {
    std::vector<std::string> ids;
    for (const ScenarioModel& model : models_) {
        ids.push_back(model.source->id);
    }
    return ids;
}

std::string ModelSources::content_key(const std::string& id) const {
    const auto found = std::ranges::find_if(
        models_, [&](const ScenarioModel& model) { return model.source->id == id; });
    return found == models_.end() ? "" : found->source->key;
}

std::vector<Vec3> ModelSources::centres() const {
    std::vector<Vec3> centres;
    for (const ScenarioModel& model : models_) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            centres.push_back(patch.centre);
        }
        for_slipping_points(model, [&](const Vec3& x) { centres.push_back(x); });
        if (model.moment) {
            centres.push_back(model.moment->at);
        }
    }
    return centres;
}

std::vector<Vec3> ModelSources::edges(double spacing_m) const {
    std::vector<Vec3> edges;
    for (const ScenarioModel& model : models_) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            if (!(norm(patch.slip_m) > 0.0)) {
                continue;
            }
            for_edges(patch.length_m, patch.width_m, spacing_m, [&](double along, double down) {
                edges.push_back(patch.centre + along * patch.length_m * patch.along_strike() +
                                down * patch.width_m * patch.down_dip());
            });
        }
        for_slipping_points(model, [&](const Vec3& x) { edges.push_back(x); });
        if (model.moment) {
            edges.push_back(model.moment->at);
        }
    }
    return edges;
}

bool ModelSources::any_place(const PlaceTest& test) const {
    return std::ranges::any_of(models_, [&](const ScenarioModel& model) {
        // A point has no plane that could dip gently.
        bool any = model.moment && test(model.moment->at, {1.0, 0.0, 0.0});
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
        if (model.moment) {
            check_moment(model, domain_, violations);
            continue;
        }
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            if (!domain_.inside_box(patch.centre)) {
                const std::string at =
                    domain_.projected() ? domain_.lonlat_text(patch.centre) + ", " : "";
                violations.push_back({model.source->field,
                                      "patch " + patch.id + " must lie inside the region, got " +
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
    std::vector<std::string> result = implausible_events(*job_.scenario, models_, domain_);
    for (const ScenarioModel& model : models_) {
        if (const AboveGround above =
                domain_.has_volumes() ? above_ground(model, domain_) : AboveGround{};
            above.share > kStandsOut * kStandsOut) {
            result.push_back(model.source->field +
                             ": its patches stick out of the ground by up to " +
                             number(above.highest_m / 1000.0) +
                             " km: " + formatted("%.3g %%", 100.0 * above.share) +
                             " of its potency lies above it and does not slip");
        }
        if (const double side_m = finest_side_m(model); job_.mesh.size_at_fault_m > side_m) {
            result.push_back("mesh.size_at_fault: elements of " +
                             number(job_.mesh.size_at_fault_m / 1000.0) +
                             " km are larger than patches of event '" + model.source->id + "', " +
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

namespace {

constexpr double kWorthACause = 0.005;  // share of the potency

}  // namespace

ModelsOnMesh::ModelsOnMesh(const GreensJob& job, const Domain& domain,
                           std::span<const ScenarioModel> models,
                           std::vector<std::vector<SegmentFault>> segments,
                           const MeshedFault& fault)
    : job_(job),
      domain_(domain),
      models_(models),
      segments_(std::move(segments)),
      fault_(fault),
      fault_slip_(fault.mesh, fault.dofs, fault.split, job.structure.materials),
      triangles_(fault::fault_triangles(fault.mesh, fault.dofs, fault.split)),
      projection_(triangles_, fault.split.split.size()) {
    find_groups();
    for (std::size_t model = 0; model < models.size(); ++model) {
        parts_.push_back(parts_of(model));
    }
}

void ModelsOnMesh::find_groups() {
    group_.resize(fault_.mesh.faults.size());
    std::iota(group_.begin(), group_.end(), 0);
    for (const auto& [other, owner] : fault_.split.shared) {
        const int from = std::max(group_[other.fault], group_[owner.fault]);
        std::ranges::replace(group_, from, std::min(group_[other.fault], group_[owner.fault]));
    }
}

std::vector<ModelsOnMesh::Part> ModelsOnMesh::parts_of(std::size_t index) const {
    const ScenarioModel& model = models_[index];
    std::vector<Part> parts(fault_.mesh.faults.size());
    std::vector<slip_model::PlacedModel> placed(parts.size());
    for (const slip_model::PlacedPatch& patch : model.placed.patches) {
        const int fault = group_[segments_[index][static_cast<std::size_t>(patch.segment)].fault];
        placed[fault].segments = model.placed.segments;
        placed[fault].patches.push_back(patch);
        parts[fault].hanging_wall += (patch.area_m2() * norm(patch.slip_m)) * patch.normal();
    }
    for (std::size_t fault = 0; fault < parts.size(); ++fault) {
        if (!placed[fault].patches.empty()) {
            parts[fault].sampler.emplace(placed[fault], sample_options(*model.source));
        }
    }
    return parts;
}

std::size_t ModelsOnMesh::model_of(const std::string& id) const {
    const auto found = std::ranges::find_if(
        models_, [&](const ScenarioModel& model) { return model.source->id == id; });
    if (found == models_.end()) {
        throw unknown_source(id);
    }
    return static_cast<std::size_t>(found - models_.begin());
}

Vec3 ModelsOnMesh::of_patches(std::size_t model, int fault, const Vec3& x,
                              const Vec3& normal) const {
    const Part& part = parts_[model][static_cast<std::size_t>(group_[fault])];
    if (!part.sampler) {
        return {};
    }
    return dot(normal, part.hanging_wall) >= 0.0 ? part.sampler->slip_at(x, normal)
                                                 : -1.0 * part.sampler->slip_at(x, -1.0 * normal);
}

std::vector<Vec3> ModelsOnMesh::asked(std::size_t model) const {
    return fault::nodal_slip(fault_.split, fault_.dofs.node_xyz, [&](const fault::FaultNode& at) {
        const Vec3& x = fault_.dofs.node_xyz[at.node];
        if (const std::int32_t k = fault_.split.index(at); k >= 0) {
            return of_patches(model, at.fault, x, fault_.split.normal[static_cast<std::size_t>(k)]);
        }
        const Part& part = parts_[model][static_cast<std::size_t>(group_[at.fault])];
        return part.sampler ? part.sampler->slip_at(x) : Vec3{};
    });
}

std::vector<Vec3> ModelsOnMesh::projected(std::size_t model, std::span<const Vec3> asked) const {
    double least_m = std::numeric_limits<double>::infinity();
    double largest_m = 0.0;
    for (const slip_model::PlacedPatch& patch : models_[model].placed.patches) {
        least_m = std::min({least_m, patch.length_m, patch.width_m});
        largest_m = std::max(largest_m, norm(patch.slip_m));
    }
    const auto load = fault::sampled_load(
        triangles_, fault_.dofs.node_xyz, asked.size(),
        [&](const fault::FaultTriangle& triangle, const Vec3& x) {
            return of_patches(model, triangle.fault, x, triangle.normal);
        },
        0.5 * least_m, largest_m);
    std::vector<Vec3> slip(asked.size());
    for (int comp = 0; comp < 3; ++comp) {
        const std::vector<double> values = projection_.solve(load[comp]);
        for (std::size_t k = 0; k < slip.size(); ++k) {
            slip[k][comp] = values[k];
        }
    }
    for (Vec3& s : slip) {
        s = norm(s) > kProjectionSwing * largest_m ? s : Vec3{};
    }
    return slip;
}

std::vector<Vec3> ModelsOnMesh::from_points(std::size_t index) const {
    const ScenarioModel& model = models_[index];
    std::map<fault::FaultNode, Vec3> slip_at;
    for (std::size_t fault = 0; fault < fault_.mesh.faults.size(); ++fault) {
        const auto of = static_cast<std::int32_t>(fault);
        if (group_[fault] != group_[segments_[index].front().fault]) {
            continue;
        }
        const auto slip = fault::slip_of_table(
            *model.points, fault::fault_nodes(fault_.mesh, fault_.dofs, of), fault_.mesh,
            fault_.dofs, of, model.source->max_distance_m, std::nullopt);
        for (const auto& [node, value] : slip.slip) {
            slip_at.emplace(fault_.split.owner({node, of}), value);
        }
    }
    return fault::nodal_slip(fault_.split, fault_.dofs.node_xyz, [&](const fault::FaultNode& at) {
        const auto found = slip_at.find(at);
        return found == slip_at.end() ? Vec3{} : found->second;
    });
}

std::vector<double> ModelsOnMesh::amounts(std::size_t model, std::span<const Vec3> slip) const {
    if (models_[model].points) {
        return fault::FaultSlip::amounts(slip);
    }
    // Along what was asked for; where nothing was, along what its fault slips in the mean.
    const std::vector<Vec3> along = asked(model);
    std::vector<Vec3> mean(fault_.mesh.faults.size());
    for (std::size_t k = 0; k < slip.size(); ++k) {
        mean[fault_.split.split[k].fault] += slip[k];
    }
    std::vector<double> amounts;
    for (std::size_t k = 0; k < slip.size(); ++k) {
        const Vec3& direction = norm(along[k]) > 0.0 ? along[k] : mean[fault_.split.split[k].fault];
        amounts.push_back(norm(direction) > 0.0 ? dot(slip[k], normalized(direction)) : 0.0);
    }
    return amounts;
}

std::vector<Vec3> ModelsOnMesh::slip_of(const std::string& id) const {
    const std::size_t index = model_of(id);
    const ScenarioModel& model = models_[index];
    std::vector<Vec3> slip(fault_.split.split.size());
    if (model.moment) {
        return slip;
    }
    try {
        slip = model.points ? from_points(index) : projected(index, asked(index));
    } catch (const ValidationError&) {
        throw;
    } catch (const Error& error) {
        throw ValidationError({{model.source->field, error.what()}});
    }
    if (std::ranges::all_of(slip, [](const Vec3& s) { return norm(s) == 0.0; })) {
        throw ValidationError({{model.source->field,
                                "must slip on the fault: no node of the meshed fault is within "
                                "max_distance of its patches"}});
    }
    return slip;
}

std::optional<fault::PointMoment> ModelsOnMesh::moment_of(const std::string& id) const {
    return models_[model_of(id)].moment;
}

double ModelsOnMesh::mu_pa(const Vec3& at) const {
    const p2::Location place = p2::locate_points(fault_.mesh, std::vector<Vec3>{at}).front();
    const std::int32_t rock = fault_.mesh.material[static_cast<std::size_t>(place.tet)];
    return job_.structure.materials.at(static_cast<std::size_t>(rock)).mu_pa;
}

io::GreensDataset::Source ModelsOnMesh::row(const std::string& id) {
    if (const auto moment = moment_of(id)) {
        io::GreensDataset::Source row = describe_slip(domain_, fault_, {}, id);
        set_centre(domain_, moment->at, row);
        row.rigidity_pa = mu_pa(moment->at);
        row.potency_m3 = slip_model::scalar_moment(moment->moment_nm) / row.rigidity_pa;
        return row;
    }
    const std::vector<Vec3> slip = slip_of(id);
    io::GreensDataset::Source row = describe_slip(domain_, fault_, slip, id);
    set_sums(fault_slip_.sums(amounts(model_of(id), slip)), row);
    return row;
}

std::string ModelsOnMesh::lost_to(std::size_t index, const Taken& taken) const {
    const ScenarioModel& model = models_[index];
    double far_m3 = 0.0;
    for (const SegmentFault& segment : segments_[index]) {
        far_m3 += segment.lost_potency_m3;
    }
    double rest = 1.0 - taken.potency_m3 / taken.given_potency_m3;
    std::string causes;
    const auto add = [&](double share, const char* cause) {
        if (share > kWorthACause) {
            causes += (causes.empty() ? "" : ", ") + formatted("%.2g %% ", 100.0 * share) + cause;
        }
        rest -= share;
    };
    add(domain_.has_volumes() ? above_ground(model, domain_).share : 0.0, "lie above the ground");
    add(far_m3 / taken.given_potency_m3, "lie farther from the fault than max_distance");
    add(model.sampler->cancelled_share(),
        "cancel between neighbours that slip in different directions");
    add(rest, "lie beyond the fault's edges or on its rim, or turn out of its plane");
    return causes;
}

SlipOnMesh::Taken ModelsOnMesh::taken(const std::string& id) const {
    const ScenarioModel& model = models_[model_of(id)];
    if (model.moment) {
        const double moment_nm = slip_model::scalar_moment(model.moment->moment_nm);
        return {moment_nm, moment_nm / mu_pa(model.moment->at)};
    }
    const std::vector<Vec3> slip = slip_of(id);
    const fault::FaultSlip::Sums sums = fault_slip_.sums(amounts(model_of(id), slip));
    Taken taken;
    taken.moment_nm = sums.softer_moment_nm;
    taken.potency_m3 = sums.potency_m3;
    // The projection swings above it beside jumps.
    for (const Vec3& s : model.points ? slip : asked(model_of(id))) {
        taken.max_slip_m = std::max(taken.max_slip_m, norm(s));
    }
    if (model.sampler) {
        taken.given_potency_m3 = model.sampler->given_potency_m3();
        taken.lost_to = lost_to(model_of(id), taken);
    }
    return taken;
}

}  // namespace kaname::jobs
