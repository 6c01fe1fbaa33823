// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/range_error.hpp"

namespace kaname::viscoelastic {

/// SpectrumCertificate bounds the error of one source's reduced model for any rheology in its
/// range, without the mesh (docs/theory/viscoelastic.md, "Ranges of viscosity"): G groups, m basis
/// vectors.
struct SpectrumCertificate {
    struct Sample {
        std::vector<double> log_g;  ///< [G]
        double motion = 0.0;        ///< of the points per residual there
    };
    double end_s = 0.0;
    double left = 0.0;           ///< norm of the forces that the elastic solve left
    double least = 0.0;          ///< motion below which the change is not looked at closer
    std::vector<double> factor;  ///< upper triangle R, by rows, of sketches [q, K_el V, K_j V ...]
    std::vector<double> seen;    ///< [numbers][m] observed motion of the basis vectors
    std::vector<Sample> samples;

    /// Columns of the factor: G + (1 + G) m.
    [[nodiscard]] static std::size_t columns(std::size_t groups, std::size_t n_basis) {
        return groups + (1 + groups) * n_basis;
    }
    /// Returns a bound of the error at all times up to the end over the largest change in all that
    /// time. `model`: the source in lane 0. relaxation [G].
    [[nodiscard]] double error(const ReducedModel& model,
                               std::span<const Relaxation> relaxation) const;
};

/// R of A = Q R, by Householder's reflections; A by columns [n][m]. Rows of R, min(m, n) of them,
/// from their diagonal on, one after the other.
[[nodiscard]] std::vector<double> triangular_factor(std::vector<std::vector<double>> A);

}  // namespace kaname::viscoelastic
