// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "worker/jobs/rupture/fault_parameters.hpp"

/// Checks the faults of a rupture before it runs.
namespace kaname::jobs {

/// FaultSample is a piece of a fault with the rock and the elements around it.
struct FaultSample {
    rupture::FaultPlace place;
    double area_m2 = 0.0, edge_m = 0.0;  ///< edge: of the elements there
    double rigidity_pa = 0.0, poisson = 0.0;
};

/// Returns a sample for each face of a meshed fault.
[[nodiscard]] std::vector<FaultSample> samples_of(const std::vector<FaultTriangle>& triangles);
/// Returns samples for cells of planes before there is a mesh. Their material is that of a layered
/// box, for other models the softest of `materials`. Faults that are not planes are left out.
[[nodiscard]] std::vector<FaultSample> samples_of_planes(
    const SeismicMeshRequest& request, const std::vector<earth::Material>& materials);

struct FaultFindings {
    std::vector<Violation> violations;
    std::vector<std::string> warnings, notes;
};

/// Violations: numbers of friction out of range, tables that do not cover their fault. Warnings:
/// stress above strength outside of nucleation zones, faults under tension, cohesive zones that
/// elements do not resolve, a rupture that nothing begins.
[[nodiscard]] FaultFindings check_faults(const RuptureJob& job,
                                         const std::shared_ptr<const FaultParameters>& parameters,
                                         const std::vector<FaultSample>& samples);

/// Width of the zone in which a rupture front loses strength, at the beginning [m]: with linear
/// slip weakening
///   9 pi/32 mu/(1 - nu) Dc/(tau_s - tau_d)
/// (Day et al. 2005, their equation 30a for mode II), with fast velocity weakening the same
/// with L and (f0 - mu_w) sigma in place of Dc and tau_s - tau_d; with other rate-and-state laws
///   mu L/(b sigma)   (Rice 1993, Day's 9 pi/32 left out).
/// Infinite where strength does not fall.
[[nodiscard]] double cohesive_zone_m(rupture::FrictionLaw law, const FaultNumbers& numbers,
                                     double rigidity_pa, double poisson);

/// Points of elements of that edge in a cohesive zone that has shrunk to half of its width, as it
/// does while a rupture grows; at least kWantedPoints should be there (Day et al. 2005). An element
/// of order N counts N points along its edge.
[[nodiscard]] double points_in_zone(double zone_m, double edge_m, int order);
inline constexpr double kWantedPoints = 3.0;

}  // namespace kaname::jobs
