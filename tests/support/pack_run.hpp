// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"

namespace kaname::test {

using Field = std::function<Vec3(const Vec3& x, double t_s, int lane)>;  ///< m

/// One pack on one mesh, as a test states it.
struct PackRun {
    const mesh::TetMesh* mesh = nullptr;
    std::vector<earth::Material> materials = {};
    std::vector<viscoelastic::BoundaryCondition> conditions = {};
    /// Sides that are moved by `field` (called once per node, step and lane).
    std::vector<mesh::Side> prescribed_sides = {};
    Field field = {};
    /// Slip at the split nodes; a lane without function has no source.
    std::array<std::function<Vec3(const Vec3& x)>, lanes::kLanes> slip = {};
    viscoelastic::TimeGrid grid = {};
    viscoelastic::SolverParams params = {};
    viscoelastic::Element element = viscoelastic::Element::P2;
    viscoelastic::PredictorParams predictor = predictors::Polynomial::Cubic;
    std::vector<p2::Location> places = {};  ///< where the displacement is wanted
    bool keep_stress = false;
};

struct PackHistory {
    std::vector<viscoelastic::StepResult> steps;
    std::vector<std::vector<double>> values;  ///< [step][place][3][4] m
    /// [step][element of this rank][4 vertices][xx yy zz yz zx xy][4] Pa, with keep_stress
    std::vector<std::vector<double>> stress_pa;

    [[nodiscard]] Vec3 at(int step, std::size_t place, int lane) const;
    /// Largest relative residual of all steps and lanes; infinite when a lane did not converge.
    [[nodiscard]] double worst_residual() const;
};

/// Runs all steps. Collective.
[[nodiscard]] PackHistory run_pack(const PackRun& run, comm::Comm& comm);
/// Runs the pack on one rank.
[[nodiscard]] PackHistory run_pack(const PackRun& run);

/// Places and weights [m^2] to integrate over z = 0: seven per face, exact for degree 5, each in
/// the element under its face.
struct SurfaceQuadrature {
    std::vector<p2::Location> places;
    std::vector<double> weights;
};
[[nodiscard]] SurfaceQuadrature surface_quadrature(const mesh::TetMesh& mesh);

/// sqrt(int |u - exact|^2 / int |exact|^2) over the surface, at one step and lane.
[[nodiscard]] double surface_error(const SurfaceQuadrature& surface, const PackHistory& history,
                                   int step, int lane,
                                   const std::function<Vec3(const Vec3& x)>& exact);

/// West, east, south, north and bottom: all but the free surface.
[[nodiscard]] std::vector<mesh::Side> buried_sides();

}  // namespace kaname::test
