// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic {

inline constexpr double kMaxwellTime_s = 1e19 / 3e10;  ///< relaxation time of FaultModel's material

inline SolverParams tight(double tolerance) {
    SolverParams params;
    params.cg = {tolerance, 200};
    return params;
}

/// 6 x 6 x 4 unit-kilometre cells with a horizontal fault at z = -2 km, 1..5 km in x and y: the
/// plus side is above. Bottom fixed; one viscoelastic material, or layers of equal thickness from
/// the top down.
struct FaultModel : BoxModel {
    explicit FaultModel(comm::Comm& comm, Element element = Element::P2,
                        const std::vector<earth::Material>& layers = {rock(3e10, 3e10, 1e19)})
        : BoxModel(
              test::BoxMesh{
                  .cells = {6, 6, 4},
                  .low = {0.0, 0.0, -4e3},
                  .high = {6e3, 6e3, 0.0},
                  .faults = {{.axis = 2, .index = 2, .low = {1, 1, 0}, .high = {5, 5, 0}}},
                  .material =
                      [n = layers.size()](const Vec3& x) {
                          return static_cast<int>(-x.z / 4e3 * static_cast<double>(n));
                      }},
              layers, clamped({mesh::Side::Bottom}), comm, element),
          split(fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)) {}

    /// The mesh's nodes of all ranks from this rank's u [node][3][4]. Collective.
    [[nodiscard]] std::vector<double> whole(std::span<const double> u, comm::Comm& comm) const {
        constexpr std::size_t width = 3 * lanes::kLanes;
        std::vector<double> all(std::size_t(dofs.n_nodes()) * width, 0.0);
        for (std::size_t i = 0; i < u.size(); ++i) {
            const std::size_t node = i / width;
            if (model.mesh().node_halo.owned(static_cast<std::int32_t>(node))) {
                all[model.mesh().node_gid[node] * width + i % width] = u[i];
            }
        }
        comm.sum(std::span<double>(all));
        return all;
    }
    /// Slip of 1 m to the east at every split node of the lanes.
    [[nodiscard]] PackSlip unit_slip(std::initializer_list<int> lanes) const {
        PackSlip slip;
        for (const int lane : lanes) {
            slip[lane].assign(split.split.size(), {1.0, 0.0, 0.0});
        }
        return slip;
    }
    [[nodiscard]] std::vector<ElementOffset> offsets(const PackSlip& slip) const {
        return element_offsets(model, dofs, split, slip);
    }
    /// Observes the motion at all vertices of the surface.
    [[nodiscard]] Observer surface(device::Queue& queue) const {
        std::vector<Vec3> points;
        std::copy_if(mesh.xyz.begin(), mesh.xyz.end(), std::back_inserter(points),
                     [](const Vec3& x) { return x.z > -1.0; });
        return {model, p2::locate_points(mesh, points), queue};
    }
    /// Above (true) or below the fault.
    [[nodiscard]] bool above(std::int32_t elem) const {
        const auto& local = model.mesh();
        double z = 0.0;
        for (int v = 0; v < 4; ++v) {
            z += 0.25 * local.node_xyz[local.conn[elem][v]].z;
        }
        return z > -2e3;
    }

    fault::SplitNodes split;
};

/// An elastic lid, a standard linear solid above and a Burgers body below the fault, a Maxwell
/// body.
inline std::vector<earth::Material> four_rheologies() {
    std::vector<earth::Material> layers = {rock(3e10, 3e10), rock(3e10, 3e10, 1e19),
                                           rock(4e10, 3e10, 1e19), rock(3e10, 3e10, 2e19)};
    layers[1].relaxed_mu_pa = 1e10;
    layers[2].kelvin_mu_pa = 4e10;
    layers[2].kelvin_viscosity_pa_s = 5e18;
    return layers;
}

}  // namespace kaname::viscoelastic
