// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The layout here names the numbers kept of a fault's point and their places in arrays
/// [faces][fields][padded points], shared by the CPU and GPUs. Shear has two components, along
/// strike and down dip (FaultFrame).
namespace kaname::rupture {

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
