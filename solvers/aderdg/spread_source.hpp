// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// Holds the density that a point source of strength 1 adds to one tet.
struct SourceShare {
    std::int64_t tet = 0;
    std::vector<double> shape;  ///< [tet_modes(N)] coefficients of a density [1/m3]
};

/// A moment tensor's place as elements resolve it. The delta function of one element is one-sided
/// near its faces and vertices, and stress is least accurate there; a ball of about an element's
/// size acts outside of itself as its middle does:
///   rho(x) = (1 - s^2)^k p(x - x_s),  s = |x - x_s|/radius < 1,
/// with the polynomial p of degree 5 (3 up to order 4, less where the ball is cut off) for which
/// int rho q = q(x_s) for all polynomials q of that degree; projected on each element. It goes over
/// elements of alike solids that are connected by faces, so that near an interface, a fault or the
/// ground it is one-sided, and as exact.
class SourceSpread {
public:
    SourceSpread(const WaveModel& model, const TetTopology& topology, int order);

    /// The delta function of the source's own tet, for forces; for moments where nothing is
    /// smoother.
    [[nodiscard]] std::vector<SourceShare> alone(const PointInTet& at) const;
    [[nodiscard]] std::vector<SourceShare> of(const PointInTet& at) const;

    /// int rho q of a share for the Bernstein polynomials q of its tet, of degree N, N - 1, ... 0,
    /// one after the other: of the delta function their values at the place.
    [[nodiscard]] std::vector<double> means(const SourceShare& share) const;

    /// Radius of the ball about a place in a tet, by the sizes of its elements [m].
    [[nodiscard]] double radius_m(std::int64_t tet) const;

private:
    struct Part {
        std::int64_t tet;
        double volume_m3;
        std::vector<Vec3> y;  ///< places of the rule's points from the source, in radii
    };
    [[nodiscard]] std::vector<Part> parts_within(const PointInTet& at, double radius_m) const;
    [[nodiscard]] std::vector<std::vector<double>> densities(const std::vector<Part>& parts,
                                                             double radius_m, int degree) const;

    /// int rho^2 [1/m3].
    [[nodiscard]] double square_of(const std::vector<SourceShare>& shares) const;
    [[nodiscard]] std::vector<SourceShare> projected(
        const std::vector<Part>& parts, const std::vector<std::vector<double>>& density) const;

    const WaveModel& model_;
    const TetTopology& topology_;
    int degree_;
    std::vector<double> mass_;                                 ///< of a tet of volume 1
    std::vector<std::array<double, 4>> lambda_;                ///< of the rule's points
    std::vector<double> weight_;                               ///< sum 1
    std::vector<std::vector<double>> projection_;              ///< [modes][points]
    std::vector<std::vector<std::vector<double>>> bernstein_;  ///< [degree][points][modes]
};

/// Strain at a place from the unknowns there, [6][9 + 6 mechanisms]: strains xx, yy, zz, yz, xz, xy
/// (tensor components) of stresses xx, yy, zz, xy, yz, xz, velocities (0), and of each mechanism
/// its theta in the order of the stresses. From rest and outside of moment tensors
///   int theta_l dt = e - theta_l/omega_l, hence
///   e = (C - sum_l C_l)^-1 : (sigma - sum_l C_l : theta_l/omega_l).
/// With the energy's weights this is the transpose of a moment tensor's action on the stress, so
/// that reciprocity holds before time is made discrete (docs/theory/aderdg.md, reciprocity).
/// The solid's relaxed shear modulus must be > 0.
[[nodiscard]] std::vector<double> strain_weights(const Solid& solid);

}  // namespace kaname::aderdg
