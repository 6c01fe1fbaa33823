// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/base/vec3.hpp"

/// The setup of a fault that ruptures by itself is its friction and its traction before the
/// rupture.
namespace kaname::rupture {

/// Friction mu that a fault's strength follows, tau_s = cohesion - mu sigma_n
/// (docs/theory/rupture.md).
enum class FrictionLaw : std::uint8_t {
    LinearSlipWeakening,    ///< mu falls from static to dynamic over a slip Dc
    Ageing,                 ///< rate and state: psi' = b V0/L exp((f0 - psi)/b) - b V/L
    Slip,                   ///< rate and state: psi' = -V/L (psi - f0 + b ln(V/V0))
    FastVelocityWeakening,  ///< rate and state: psi' = -V/L (psi - psi_ss(V)), mu_ss falls to mu_w
};

/// A point of a fault. The normal has length 1 and points from the minus to the plus side.
struct FaultPlace {
    int fault = 0;  ///< index into TetMesh::faults
    Vec3 at_m, normal;
};

/// Tractions are sigma . normal, what the plus side does to the minus side: sigma_n < 0 is
/// compression. Only the numbers of the fault's own law are read.
struct FaultPoint {
    Vec3 traction_pa;    ///< at rest
    Vec3 nucleation_pa;  ///< shear that is added as FaultSetup::nucleation_s passes
    // Linear slip weakening.
    double static_friction = 0.0, dynamic_friction = 0.0;
    double weakening_slip_m = 0.0;  ///< Dc
    double cohesion_pa = 0.0;       ///< strength without any normal stress, >= 0
    /// From then on strength falls over FaultSetup::forced_growth_s whatever slip does.
    double forced_rupture_s = 1e9;
    // Rate and state: mu = a asinh(V/(2 V0) exp(psi/a)).
    double a = 0.0, b = 0.0, state_slip_m = 0.0;  ///< L
    double reference_friction = 0.6, reference_rate_m_per_s = 1e-6;
    double weakened_friction = 0.0, weakening_rate_m_per_s = 0.0;  ///< mu_w, V_w
    double initial_rate_m_per_s = 0.0;  ///< psi at rest is that for which the traction slips so
};

/// Where slip, slip rate and tractions are recorded: at the point of the face, among those where
/// friction is solved, that is nearest.
struct FaultReceiver {
    std::int64_t face = 0;  ///< index into TetMesh::fault_faces
    Vec3 at_m;
};

struct FaultSetup {
    std::vector<FrictionLaw> laws;  ///< by TetMesh::faults; empty: faults are welded
    std::function<FaultPoint(const FaultPlace&)> at;  ///< called by several threads
    /// nucleation_pa times G(t) = exp((t - T)^2/(t (t - 2 T))), 1 from T on, is added; 0: at once.
    double nucleation_s = 0.0;
    double forced_growth_s = 0.0;
    double rupture_rate_m_per_s = 1e-3;  ///< slip rate at which a point counts as ruptured
    std::vector<FaultReceiver> receivers;
    double interval_s = 0.0;  ///< between samples of the receivers, the first of which is at 0
};

/// Directions on a fault: along strike s = z x n and down dip d = s x n, so that the plus side of a
/// dipping fault, the hanging wall, is on the right of s. Of level faults s is x.
struct FaultFrame {
    Vec3 strike, dip;
    [[nodiscard]] static FaultFrame of(const Vec3& normal) {
        constexpr double kLevel = 1e-6;
        const double along = std::hypot(normal.x, normal.y);
        const Vec3 strike =
            along < kLevel ? Vec3{1.0, 0.0, 0.0} : Vec3{-normal.y / along, normal.x / along, 0.0};
        return {strike, cross(strike, normal)};
    }
};

/// The layout here names the numbers kept of a fault's point and their places in arrays
/// [faces][fields][padded points], shared by the CPU and GPUs. Shear has two components, along
/// strike and down dip (FaultFrame).

/// Constant numbers of a point.
struct Given {
    enum Field : int {
        kNormal,            ///< initial sigma_n [Pa], < 0: compression
        kStrike,            ///< initial shear along strike [Pa]
        kDip,               ///< and down dip
        kNucleationStrike,  ///< added as G(t) grows
        kNucleationDip,
        kLaw,  ///< first of the law's own, kLawFields at most
    };
    // Linear slip weakening.
    static constexpr int kStatic = kLaw, kDrop = kLaw + 1;  ///< static friction, less dynamic one
    static constexpr int kPerSlip = kLaw + 2;               ///< 1/Dc
    static constexpr int kCohesion = kLaw + 3, kForced = kLaw + 4;
    // Rate and state.
    static constexpr int kA = kLaw, kB = kLaw + 1, kPerL = kLaw + 2, kF0 = kLaw + 3;
    static constexpr int kV0 = kLaw + 4, kWeakened = kLaw + 5, kWeakeningRate = kLaw + 6;
    static constexpr int kFields = kLaw + 7;
};

/// Numbers of a point that change, all of which a state is made of.
struct Kept {
    enum Field : int {
        kSlipStrike,  ///< slip [m], plus side less minus side
        kSlipDip,
        kPath,        ///< length of the way of the slip [m]
        kPsi,         ///< state of rate-and-state friction
        kRateStrike,  ///< slip rate [m/s] at the last time node
        kRateDip,
        kPeakRate,     ///< largest slip rate so far
        kRuptureTime,  ///< when the slip rate first was FaultSetup::rupture_rate_m_per_s; < 0: not
                       ///< yet
        kNormalNow,    ///< tractions at the last time node [Pa], initial ones included
        kStrikeNow,
        kDipNow,
        kFriction,  ///< int tau . V dt [J/m2]: what friction has taken
        kReleased,  ///< int (tau0 + G nucleation - tau) . V dt [J/m2]: what waves have been given
        kFields,
    };
};

}  // namespace kaname::rupture
