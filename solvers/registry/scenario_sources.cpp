// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/scenario_sources.hpp"

#include <algorithm>
#include <unordered_map>

#include "solvers/base/units.hpp"
#include "solvers/registry/slip_description.hpp"
#include "solvers/sources/table_slip.hpp"

namespace kaname::registry {
const ScenarioModel& ScenarioSources::model_of(const std::string& source_id) const {
    const auto found = std::ranges::find_if(
        setup_.models(), [&](const ScenarioModel& model) { return model.spec->id == source_id; });
    if (found == setup_.models().end()) {
        throw Error(ErrorCode::InvalidArgument,
                    "source must be one of the job's, got '" + source_id + "'");
    }
    return *found;
}

std::vector<Vec3> ScenarioSources::sampled(const ScenarioModel& model) const {
    // The model's own hanging wall, as a whole: on a vertical fault the mesh's plus side may be
    // the other one.
    Vec3 hanging_wall;
    for (const slip_model::PlacedPatch& patch : model.placed.patches) {
        hanging_wall += (patch.area_m2() * norm(patch.slip_m)) * patch.normal();
    }
    std::unordered_map<std::int32_t, Vec3> normal;
    for (std::size_t k = 0; k < split_.split.size(); ++k) {
        normal.emplace(split_.split[k], split_.normal[k]);
    }
    return sources::nodal_slip(split_, dofs_.node_xyz, [&](std::int32_t node) {
        const Vec3& x = dofs_.node_xyz[node];
        const auto found = normal.find(node);
        if (found == normal.end()) {
            return model.sampler->slip_at(x);  // of the rim
        }
        return dot(found->second, hanging_wall) >= 0.0
                   ? model.sampler->slip_at(x, found->second)
                   : -1.0 * model.sampler->slip_at(x, -1.0 * found->second);
    });
}

std::vector<Vec3> ScenarioSources::from_points(const ScenarioModel& model) const {
    std::unordered_map<std::int32_t, Vec3> at;
    for (std::size_t fault = 0; fault < mesh_.faults.size(); ++fault) {
        const auto index = static_cast<std::int32_t>(fault);
        const auto slip =
            sources::slip_of_table(*model.points, sources::fault_nodes(mesh_, dofs_, index), mesh_,
                                   dofs_, index, model.spec->max_distance_m, std::nullopt);
        at.insert(slip.slip.begin(), slip.slip.end());
    }
    return sources::nodal_slip(split_, dofs_.node_xyz, [&](std::int32_t node) {
        const auto found = at.find(node);
        return found == at.end() ? Vec3{} : found->second;
    });
}

std::vector<Vec3> ScenarioSources::slip_of(const std::string& source_id) const {
    const ScenarioModel& model = model_of(source_id);
    std::vector<Vec3> slip;
    try {
        slip = model.points ? from_points(model) : sampled(model);
    } catch (const ValidationError&) {
        throw;
    } catch (const Error& error) {
        throw ValidationError({{model.spec->field, error.what()}});
    }
    if (std::ranges::all_of(slip, [](const Vec3& s) { return norm(s) == 0.0; })) {
        throw ValidationError({{model.spec->field,
                                "must slip on the fault: no node of the meshed fault is within "
                                "max_distance of its patches"}});
    }
    return slip;
}

io::GreensDataset::Source ScenarioSources::describe(const std::string& source_id) const {
    const std::vector<Vec3> slip = slip_of(source_id);
    io::GreensDataset::Source row = describe_slip(setup_, split_, dofs_, slip, source_id);
    set_sums(fault_slip_.sums(slip), row);
    return row;
}

io::GreensDataset::Source ScenarioSources::describe_all(const std::string& name) const {
    std::vector<Vec3> sum(split_.split.size());
    for (const ScenarioModel& model : setup_.models()) {
        const std::vector<Vec3> slip = slip_of(model.spec->id);
        std::ranges::transform(sum, slip, sum.begin(), std::plus<>());
    }
    return describe_slip(setup_, split_, dofs_, sum, name);
}

ScenarioSources::Taken ScenarioSources::taken(const std::string& source_id) const {
    const ScenarioModel& model = model_of(source_id);
    const std::vector<Vec3> slip = slip_of(source_id);
    const sources::FaultSlip::Sums sums = fault_slip_.sums(slip);
    Taken taken;
    taken.moment_nm = sums.softer_moment_nm;
    taken.potency_m3 = sums.potency_m3;
    for (const Vec3& s : slip) {
        taken.max_slip_m = std::max(taken.max_slip_m, norm(s));
    }
    if (model.sampler) {
        taken.given_potency_m3 = model.sampler->given_potency_m3();
    }
    return taken;
}

}  // namespace kaname::registry
