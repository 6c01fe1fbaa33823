// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"

/// The kernels get their elements in blocks, which lie in memory as follows.
///
/// A block is as many elements as a register has room for times the sources ("lanes"): number k of
/// a pack is source k % lanes of element k / lanes. Everything of a block lies as [..][pack]:
///   unknowns  [tet_modes(N)][9]: stress xx, yy, zz, xy, yz, xz, velocity x, y, z; behind them
///             [mechanisms][tet_modes(N)][6]: theta_l, tensor components in the order of stresses
///   terms     Terms
/// The vertices of an element are sorted by their numbers in the mesh, so that both sides of a face
/// agree on its modes. Face f is opposite to vertex f.
///
/// Faces exchange traces: [6][face_modes(N)] with the lanes of one element innermost, the traction
/// on the outward normal and the velocity, both means over an interval of time. gpu_record.hpp
/// gives their order on a GPU.
namespace kaname::aderdg {

inline constexpr int kQuantities = 9;
inline constexpr int kStresses = 6;
inline constexpr int kTraceQuantities = 6;

/// Places in the terms of a block, each a pack.
struct Terms {
    static constexpr int kGradient = 0;  ///< [4][3] step dt times the gradients of lambda_a
    static constexpr int kLambda = 12;
    static constexpr int kMu = 13;
    static constexpr int kPerDensity = 14;
    static constexpr int kVs = 15;
    static constexpr int kVpMinusVs = 16;
    static constexpr int kFaces = 17;  ///< [4][kFace]
    // Each face has the following terms; n is its outward normal, Z+ and Z- are the impedances
    // beyond and here.
    static constexpr int kNormal = 0;          ///< [3]
    static constexpr int kVelocity = 3;        ///< dt area/volume Zs+/(Zs+ + Zs-)
    static constexpr int kTraction = 4;        ///< dt area/volume /(Zs+ + Zs-)
    static constexpr int kNormalVelocity = 5;  ///< the same with Zp, less that with Zs
    static constexpr int kNormalTraction = 6;
    static constexpr int kFace = 7;
    static constexpr int kMechanisms = kFaces + 4 * kFace;  ///< [mechanisms][kMechanism]
    static constexpr int kAnelasticLambda = 0;              ///< dt lambda_l
    static constexpr int kAnelasticMu = 1;                  ///< dt mu_l
    static constexpr int kOmega = 2;
    static constexpr int kOmegaStep = 3;  ///< dt omega_l
    static constexpr int kMechanism = 4;

    KANAME_HD static constexpr int size(int mechanisms) {
        return kMechanisms + mechanisms * kMechanism;
    }
};

}  // namespace kaname::aderdg
