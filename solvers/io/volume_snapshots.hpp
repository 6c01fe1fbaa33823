// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace kaname::io {

/// Fields in the whole model at S times. P points: the vertices of the mesh, those on a fault once
/// per side; E tetrahedra (sources/split_vertices.hpp numbers both). Model frame: x east, y north,
/// z up of its grid; tension positive; shear strains are tensor components. Double: a checkpoint
/// keeps sums that go on.
struct VolumeSnapshots {
    std::size_t n_snapshots = 0;         ///< S; 0: there is no volume
    std::vector<double> displacement_m;  ///< [S][P][3]
    std::vector<double> strain;          ///< [S][E][6] xx yy zz xy yz xz, at centroids
    std::vector<double> stress_pa;       ///< [S][E][6] the same components, means of elements

    [[nodiscard]] bool empty() const { return n_snapshots == 0; }
};

}  // namespace kaname::io
