// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/rupture/fault_setup.hpp"

/// The solver computes elastic and anelastic waves in tetrahedra of one solid each.
namespace kaname::aderdg {

inline constexpr int kLeastOrder = 2;
inline constexpr int kMostOrder = 7;
/// Sources that one solver takes at a time, each alone in its lane.
inline constexpr int kMostSources = 4;
inline constexpr int kMostMechanisms = 8;

/// Isotropic solid; mu_pa = 0 is a liquid. The moduli are the unrelaxed ones. With mechanisms l
///   sigma' = C : eps' - sum_l C_l : theta_l,    theta_l' = omega_l (eps' - theta_l)
/// (generalised Maxwell body), C_l isotropic with the mechanism's lambda_pa and mu_pa.
struct Solid {
    struct Mechanism {
        double omega_per_s = 0.0, lambda_pa = 0.0, mu_pa = 0.0;
    };
    double density_kg_m3 = 0.0, lambda_pa = 0.0, mu_pa = 0.0;
    std::vector<Mechanism> mechanisms;

    [[nodiscard]] double vp_m_per_s() const {
        return std::sqrt((lambda_pa + 2.0 * mu_pa) / density_kg_m3);
    }
    [[nodiscard]] double vs_m_per_s() const { return std::sqrt(mu_pa / density_kg_m3); }
};

enum class Boundary : std::uint8_t {
    Free,       ///< no traction
    Absorbing,  ///< nothing comes in
    Periodic,   ///< goes on at the surface it is paired with
    Gravity,    ///< no traction but the weight of the liquid or solid that rises above its level
};

/// Drucker-Prager yield at a place: shear stress sqrt(J2) above
///   cohesion cos(phi) - sigma_m sin(phi),   tan(phi) = friction,
/// relaxes; stresses include the initial ones, tension is positive.
struct YieldPoint {
    double cohesion_pa = 0.0, friction = 0.0;
    std::array<double, 6> stress_pa{};  ///< initial: xx, yy, zz, xy, yz, xz
};

/// Visco-plasticity of the whole model. The two parts of the strength, cohesion cos(phi) and
/// sin(phi), and the stress vary linearly in each tet between their values at its vertices, which
/// are asked for by several threads; liquids are not asked for.
struct Plasticity {
    std::function<YieldPoint(std::int64_t tet, const Vec3& at_m)> at;  ///< none: elastic
    double relaxation_s = 0.0;                                         ///< T_v; 0: at once
};

/// A mesh, what its tets are made of, and what its surfaces do.
struct WaveModel {
    mesh::TetMesh mesh;              ///< mesh.material counts in solids
    std::vector<Solid> solids;       ///< all with the same number of mechanisms
    std::vector<Boundary> surfaces;  ///< by mesh.surfaces
    /// Surfaces that are one another's continuation: the second is the first moved along an axis,
    /// triangle by triangle.
    std::vector<std::pair<mesh::SurfaceId, mesh::SurfaceId>> periodic;
    /// Friction on mesh.fault_faces; without laws they are welded. Needs one lane, and solids on
    /// both sides.
    rupture::FaultSetup fault;
    Plasticity plasticity;
    double gravity_m_s2 = 9.81;  ///< at Boundary::Gravity

    /// Returns true if WaveSolver::energy() reports the energy that has left through absorbing
    /// sides.
    [[nodiscard]] bool balances_energy() const {
        return !fault.laws.empty() || plasticity.at != nullptr;
    }
};

/// A point in a tet of the mesh.
struct PointInTet {
    std::int64_t tet = 0;
    Vec3 at_m;
};

/// A point force force_n s(t) and a moment tensor that grows by moment_nm s(t) per second. A source
/// with a moment acts over a ball of about an element's size (SourceSpread), its force as well.
struct PointSource {
    int lane = 0;  ///< which of the sources it is part of
    PointInTet at;
    std::array<double, 3> force_n{};
    std::array<double, 6> moment_nm{};   ///< xx, yy, zz, yz, xz, xy
    std::function<double(double)> rate;  ///< s(t), called by several threads
    double from_s = 0.0, until_s = 0.0;  ///< s is 0 before and after
};

enum class Precision : std::uint8_t { Single, Double };
/// Motion selects the recorded quantity: velocity [m/s] and strain, or their integrals over time,
/// displacement [m] and [s].
enum class Motion : std::uint8_t { Velocity, Displacement };

struct WaveParams {
    int order = 5;  ///< of convergence: polynomials of degree order - 1
    Precision precision = Precision::Single;
    int lanes = 1;  ///< 1..4 sources
    double end_s = 0.0;
    double interval_s = 0.0;  ///< between samples of the receivers, the first of which is at 0
    Motion motion = Motion::Velocity;
    double cfl = 0.0;  ///< part of the largest step; 0: the default
    double longest_step_s = std::numeric_limits<double>::infinity();  ///< of any element
    bool local_time_steps = true;  ///< clusters of steps 1, 2, 4 ... times the smallest
    /// The smallest step is made smaller by up to this factor where that makes the whole cheaper.
    double least_wiggle = 0.51;
    /// Clusters that begin their steps together advance one after the other, not as one batch: to
    /// measure what that brings.
    bool separate_clusters = false;
};

}  // namespace kaname::aderdg
