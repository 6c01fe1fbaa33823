// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/pack_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "solvers/comm/comm.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/viscoelastic/model/observer.hpp"

namespace kaname::test {

using lanes::kLanes;
using viscoelastic::BoundaryCondition;

namespace {

/// The solver asks for one component at a time, node by node: remembers the last node's vectors.
struct LastNode {
    Vec3 x{std::nan(""), 0.0, 0.0};
    double t_s = 0.0;
    std::array<Vec3, kLanes> value;

    double get(const Field& field, const Vec3& at, double time_s, int lane, int component) {
        if (!(at == x) || time_s != t_s) {
            x = at;
            t_s = time_s;
            for (int each = 0; each < kLanes; ++each) {
                value[each] = field(at, time_s, each);
            }
        }
        return value[lane][component];
    }
};

std::vector<BoundaryCondition> all_conditions(const PackRun& run) {
    std::vector<BoundaryCondition> conditions = run.conditions;
    // Shared by the copies of one run, which one rank uses.
    const auto last = std::make_shared<LastNode>();
    for (const mesh::Side side : run.prescribed_sides) {
        for (int comp = 0; comp < 3; ++comp) {
            conditions.push_back(
                {side, comp, BoundaryCondition::Kind::Prescribed,
                 [last, field = run.field, comp](const Vec3& x, double t_s, int lane) {
                     return last->get(field, x, t_s, lane, comp);
                 }});
        }
    }
    return conditions;
}

}  // namespace

Vec3 PackHistory::at(int step, std::size_t place, int lane) const {
    const double* u = values[step].data() + place * 3 * kLanes + lane;
    return {u[0], u[kLanes], u[2 * kLanes]};
}

double PackHistory::worst_residual() const {
    double worst = 0.0;
    for (const auto& step : steps) {
        for (const auto& lane : step.lanes) {
            worst = std::max(worst,
                             lane.ok() ? lane.residual : std::numeric_limits<double>::infinity());
        }
    }
    return worst;
}

PackHistory run_pack(const PackRun& run, comm::Comm& comm) {
    const p2::DofMap dofs(*run.mesh);
    const viscoelastic::Model model(*run.mesh, dofs, run.materials, all_conditions(run), comm,
                                    run.element);
    device::Queue queue;
    viscoelastic::PackSolver solver(model, run.grid, run.params, run.predictor, comm, queue);
    const auto split = fault::split_fault_nodes(*run.mesh, dofs.conn, dofs.node_xyz);
    viscoelastic::PackSlip slip;
    for (int lane = 0; lane < kLanes; ++lane) {
        for (std::size_t k = 0; k < split.split.size() && run.slip[lane]; ++k) {
            slip[lane].push_back(run.slip[lane](dofs.node_xyz[split.split[k].node]));
        }
    }
    viscoelastic::Observer observer(model, run.places, queue);

    PackHistory history;
    solver.start(viscoelastic::element_offsets(model, dofs, split, slip));
    while (!solver.finished()) {
        history.steps.push_back(solver.advance());
        history.values.push_back(
            observer.observe(solver.displacement(), solver.offsets(), comm, queue));
        if (run.keep_stress) {
            const double unit = model.scales().modulus_pa / model.scales().length_m;
            auto& stress = history.stress_pa.emplace_back();
            for (const double value : solver.stress()) {
                stress.push_back(unit * value);
            }
        }
    }
    return history;
}

PackHistory run_pack(const PackRun& run) {
    comm::SerialComm comm;
    return run_pack(run, comm);
}

SurfaceQuadrature surface_quadrature(const mesh::TetMesh& mesh) {
    // Radon's rule: the centroid and two orbits.
    const double root = std::sqrt(15.0);
    struct Orbit {
        double corner, other, weight;
    };
    const std::array<Orbit, 2> orbits = {
        Orbit{(9.0 + 2.0 * root) / 21.0, (6.0 - root) / 21.0, (155.0 - root) / 1200.0},
        Orbit{(9.0 - 2.0 * root) / 21.0, (6.0 + root) / 21.0, (155.0 + root) / 1200.0}};

    std::map<std::array<std::int32_t, 3>, double> top;  // sorted vertices -> area
    for (const auto& face : mesh.boundary_faces) {
        if (face.side == mesh::Side::Top) {
            auto key = face.vertices;
            std::sort(key.begin(), key.end());
            const Vec3& a = mesh.xyz[key[0]];
            top[key] = 0.5 * norm(cross(mesh.xyz[key[1]] - a, mesh.xyz[key[2]] - a));
        }
    }
    SurfaceQuadrature result;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        for (const auto& face : p2::kTetFaces) {
            std::array<std::int32_t, 3> key = {v[face[0]], v[face[1]], v[face[2]]};
            std::sort(key.begin(), key.end());
            const auto found = top.find(key);
            if (found == top.end()) {
                continue;
            }
            const auto add = [&](double L0, double L1, double L2, double weight) {
                p2::Location place;
                place.tet = static_cast<std::int32_t>(tet);
                place.barycentric[face[0]] = L0;
                place.barycentric[face[1]] = L1;
                place.barycentric[face[2]] = L2;
                for (int k = 0; k < 4; ++k) {
                    place.snapped += place.barycentric[k] * mesh.xyz[v[k]];
                }
                place.snapped.z = 0.0;
                result.places.push_back(place);
                result.weights.push_back(weight * found->second);
            };
            add(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 9.0 / 40.0);
            for (const Orbit& orbit : orbits) {
                add(orbit.corner, orbit.other, orbit.other, orbit.weight);
                add(orbit.other, orbit.corner, orbit.other, orbit.weight);
                add(orbit.other, orbit.other, orbit.corner, orbit.weight);
            }
        }
    }
    return result;
}

double surface_error(const SurfaceQuadrature& surface, const PackHistory& history, int step,
                     int lane, const std::function<Vec3(const Vec3& x)>& exact) {
    double error = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < surface.places.size(); ++k) {
        const Vec3 wanted = exact(surface.places[k].snapped);
        const Vec3 off = history.at(step, k, lane) - wanted;
        error += surface.weights[k] * dot(off, off);
        size += surface.weights[k] * dot(wanted, wanted);
    }
    return std::sqrt(error / size);
}

std::vector<mesh::Side> buried_sides() {
    return {mesh::Side::West, mesh::Side::East, mesh::Side::South, mesh::Side::North,
            mesh::Side::Bottom};
}

}  // namespace kaname::test
