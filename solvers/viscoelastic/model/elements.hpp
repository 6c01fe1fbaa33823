// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/viscoelastic/kernels/block_scatter.hpp"

namespace kaname::viscoelastic {

/// Reference units of a model. Inside the solver lengths are in units of length_m, moduli in units
/// of modulus_pa, displacements in m; so stresses are in modulus_pa / length_m and every number is
/// near one: in SI units stiffnesses of 1e16 and their squares leave the range of FP32.
struct Scales {
    double length_m = 1.0;
    double modulus_pa = 1.0;
};

/// Geometry of one element in scaled units.
struct ElementGeometry {
    double grad[3][3];  ///< grad[m][j] = d L_(m+1) / d x_j
    double volume;
};
[[nodiscard]] std::vector<ElementGeometry> element_geometry(const p2::LocalMesh& mesh,
                                                            const Scales& scales);

/// Moduli in units of Scales::modulus_pa: Lame's parameters of each element, and with the
/// nodal-dilatation element the bulk modulus against the mean volume strain of pressure nodes.
struct ElementModuli {
    std::vector<double> lam;              ///< [El]
    std::vector<double> mu;               ///< [El]
    std::vector<double> nodal_bulk = {};  ///< [PressureNodes::size()]; empty: plain P2
    bool buoyant = false;                 ///< the stiffness includes what Model::buoyancy() adds

    [[nodiscard]] bool nodal() const { return !nodal_bulk.empty(); }
};

/// Elements packed for the element kernels in the memory of a queue: groups of `group` elements,
/// whole groups per block (the last group of a block is filled up with zero-volume copies). On the
/// CPU a group fills a SIMD register with all its sources, on a GPU a warp.
///   conn  [group][in group][10]   nodes
///   coef  [group][11][in group]   a grad (9), lam, mu, where a = sqrt(0.8 V): p2_slope_body.hpp
///   pressure_conn [group][in group][4], weight [group][in group] = V/(5 a): with pressure nodes
///   only
template <class T>
struct ElementGroups {
    /// pressure_nodes: [El][4] of PressureNodes::conn, or empty.
    ElementGroups(const p2::LocalMesh& mesh, const std::vector<ElementGeometry>& geometry,
                  const ElementModuli& moduli, device::Queue& queue,
                  std::span<const std::array<std::int32_t, 4>> pressure_nodes = {});

    static constexpr int kCoefs = 11;
    static constexpr int kWarp = 32 / lanes::kLanes;  ///< elements of a warp
    int group;
    device::Buffer<std::int32_t> conn;
    device::Buffer<T> coef;
    device::Buffer<std::int32_t> pressure_conn;
    device::Buffer<T> weight;
    std::vector<std::vector<p2::ElementBlocks::Block>> colours;  ///< ranges of groups
    int n_boundary_colours = 0;
    BlockScatter scatter;  ///< on a GPU
};

extern template struct ElementGroups<float>;
extern template struct ElementGroups<double>;

}  // namespace kaname::viscoelastic
