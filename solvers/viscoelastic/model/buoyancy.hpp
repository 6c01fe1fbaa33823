// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

namespace kaname::viscoelastic {

inline constexpr double kGravity_m_s2 = 9.81;
inline constexpr double kSeaWater_kg_m3 = 1025.0;

/// Buoyancy is the effect of gravity on displaced surfaces of density, int [rho] g n_z u_z v_z dA
/// over them, [rho] the density below less that above (docs/theory/viscoelastic.md, "Gravity"). The
/// surfaces are those between elements of different density, and the parts of the model's outside
/// that face up. Water lies above the latter where they are below sea level. Each of a face's two
/// elements adds half of it, with the displacement of its own nodes: on a fault, the mean of the
/// two sides.
class Buoyancy {
public:
    /// Every rank gives the whole mesh; `element_of` [E]: its local elements, -1 for those of other
    /// ranks.
    Buoyancy(const mesh::TetMesh& mesh, const p2::LocalMesh& local,
             std::span<const std::int32_t> element_of, std::span<const earth::Material> materials,
             const Scales& scales);

    /// One side of a face. Between its nodes i, j (p2::face_nodes) acts weight kFaceMass[i][j].
    struct Face {
        std::int32_t elem;  ///< local element, ascending
        int face;           ///< face of the element: p2::kTetFaces
        double weight;      ///< [rho] g n_z A / 180, or half of it for one of two sides; scaled
    };
    [[nodiscard]] const std::vector<Face>& faces() const { return faces_; }

    /// The weights of all faces as a matrix with a row per node, in host memory.
    struct Rows {
        std::vector<std::int32_t> node, ptr{0}, col;
        std::vector<double> val;
    };
    [[nodiscard]] const Rows& rows() const { return rows_; }
    /// Their row sums as a diagonal: a face's weight in the middles of its edges, a third each. The
    /// same energy for displacements that are linear on the faces, a twelfth of the entries.
    [[nodiscard]] const Rows& lumped() const { return lumped_; }

    /// A term of the matrix.
    struct Entry {
        std::int32_t node, col;
        double val;
    };

private:
    /// Takes terms sorted by row and column.
    void add_rows(const std::vector<Entry>& entries);

    std::vector<Face> faces_;
    Rows rows_, lumped_;
};

/// 180/A int N_i N_j dA of a six-node triangle.
inline constexpr std::array<std::array<double, 6>, 6> kFaceMass = {{{6, -1, -1, 0, -4, 0},
                                                                    {-1, 6, -1, 0, 0, -4},
                                                                    {-1, -1, 6, -4, 0, 0},
                                                                    {0, 0, -4, 32, 16, 16},
                                                                    {-4, 0, 0, 16, 32, 16},
                                                                    {0, -4, 0, 16, 16, 32}}};

/// The rows in a queue's memory, times `sign`.
template <class T>
class BuoyancyRows {
public:
    BuoyancyRows(const Buoyancy::Rows& rows, device::Queue& queue, T sign = T(1));
    [[nodiscard]] VerticalSprings<T> springs() const { return {node_, ptr_, col_, val_}; }

private:
    device::Buffer<std::int32_t> node_, ptr_, col_;
    device::Buffer<T> val_;
};

extern template class BuoyancyRows<float>;
extern template class BuoyancyRows<double>;

/// f -= what the elements' slip offsets add to the displacement of their faces; stress-free strains
/// add nothing. Offsets ascending by element, on the host; f in the queue's memory.
void buoyant_offset_force(const Buoyancy& buoyancy, const p2::LocalMesh& mesh,
                          std::span<const ElementOffset> offsets, device::View<double> f,
                          device::Queue& queue);

}  // namespace kaname::viscoelastic
