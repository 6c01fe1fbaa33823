// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::jobs {

/// An element's share in the stress at a place: S_k += sum_c weight[k][c] (mean stress)_c, both xx
/// yy zz xy yz xz.
struct ElementShare {
    std::size_t tet;
    std::array<std::array<double, 6>, 6> weight;
};

/// Stress at a place from the means of elements: that of the equilibrated polynomial
/// (StressPolynomials; in elastic rock of fourth degree, where rock relaxes of third) whose
/// means are nearest to those of the elements around,
///   min sum_e w_e^2 |mean_e(S) - mean_e|^2,   w_e = exp(-(d_e / h)^2 / 4),
/// with d_e the distance of an element's middle from the place, and h the reach of the place's own
/// element. Those elements count that are of its rock and that the place sees past what slips;
/// where those that touch its own do not suffice, their neighbours too
/// (docs/theory/viscoelastic.md, "Stress at a place").
class StressRecovery {
public:
    /// `tets` [E][4]: points of the mesh cut open along faults (fault/split_vertices.hpp). Both
    /// outlive this. lambda_over_mu: of each material, nullopt where it relaxes.
    StressRecovery(const mesh::TetMesh& mesh, std::span<const std::int32_t> tets,
                   std::vector<std::optional<double>> lambda_over_mu);

    struct At {
        std::vector<ElementShare> shares;
        /// `other` holds the shares of a polynomial with more freedom in less degree. The
        /// difference of both stresses estimates the error.
        std::vector<ElementShare> other;
    };
    /// `x` in element `tet`, whose side of a fault it is on.
    [[nodiscard]] At at(std::size_t tet, const Vec3& x) const;

private:
    using Triangle = std::array<Vec3, 3>;
    struct Patch;
    [[nodiscard]] Patch around(std::size_t tet, const Vec3& x, std::size_t enough) const;
    [[nodiscard]] bool sees(const Vec3& x, const Vec3& to) const;

    const mesh::TetMesh& mesh_;
    std::span<const std::int32_t> tets_;
    std::size_t n_points_ = 0;
    std::vector<std::optional<double>> lambda_over_mu_;
    std::vector<Triangle> fault_;  ///< faces where the mesh is cut
};

/// Returns `tets` [E][4] (points, as above) in which both sides of a fault are one point where they
/// never move apart by more than a thousandth of the largest slip: beside a fault's margins, which
/// are meshed but do not slip, stress is smooth and both sides may be fitted together.
/// displacement_m: [S][P][3] of S epochs and P points; without epochs nothing is joined.
[[nodiscard]] std::vector<std::int32_t> joined_where_nothing_slips(
    const mesh::TetMesh& mesh, std::span<const std::int32_t> tets,
    std::span<const float> displacement_m, std::size_t n_points);

/// Weighted sum of the elements' means [E][6].
[[nodiscard]] fault::StressChange stress_of(std::span<const ElementShare> shares,
                                            const float* stress_pa);

/// A basis of the stresses that a body of one isotropic rock without body forces can have and that
/// are polynomials of the place:
///   div S = 0,   S = grad v + (grad v)^T + p 1
/// with p = (lambda / mu) div v in elastic rock, and p any field where the rock has relaxed: its
/// deviator then comes of another motion v than its pressure, each a sum over the past.
struct StressPolynomials {
    std::vector<std::array<int, 3>> powers;  ///< [M] of x, y, z; the first is 0, 0, 0
    int n_modes = 0;
    std::vector<double> modes;  ///< [n_modes][6][M] xx yy zz xy yz xz; orthonormal

    /// Coefficient of a power in a component of a mode.
    [[nodiscard]] const double* of(int mode, int component) const {
        return modes.data() + (std::size_t(mode) * 6 + std::size_t(component)) * powers.size();
    }
};
/// Up to `degree` (of the stress) >= 0; nullopt: relaxed rock.
[[nodiscard]] StressPolynomials stress_polynomials(int degree,
                                                   std::optional<double> lambda_over_mu);

}  // namespace kaname::jobs
