// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {

/// For which viscosities a source's reduced model answers, and what bounds its error there
/// (viscoelastic/rheology_range.hpp, spectrum_certificate.hpp): P parameters, G groups.
struct ReducedRange {
    std::vector<std::string> parameter;                         ///< [P]
    std::vector<double> from_pa_s, to_pa_s, reference_pa_s;     ///< [P]
    std::vector<double> mu_pa, relaxed_mu_pa, kelvin_mu_pa;     ///< [G] 0: not that body
    std::vector<double> viscosity_pa_s, kelvin_viscosity_pa_s;  ///< [G] where no parameter says it
    std::vector<std::int32_t> viscosity, kelvin_viscosity;      ///< [G] parameters; -1: none
    std::vector<std::int8_t> bulk;                              ///< [G]
    std::int64_t n_solves = 0;                                  ///< the elastic one included
    double tolerance = 0.0;  ///< that was asked for, of the largest change up to the end
    double error = 0.0;      ///< certified, at the worst rheology that was looked at
    double end_s = 0.0, left = 0.0, least = 0.0;
    std::vector<double> factor;                       ///< upper trapezoid, by rows
    std::vector<double> seen;                         ///< [numbers][n]
    std::vector<double> sample_log_g, sample_motion;  ///< [samples][G], [samples]
};

/// Small matrices of a source's reduced model (viscoelastic/reduced_model.hpp): n basis vectors, G
/// groups of materials that relax alike.
struct ReducedMatrices {
    std::int64_t n_basis = 0;
    std::vector<double> A_el;               ///< [n][n]
    std::vector<double> A;                  ///< [G][n][n]
    std::vector<double> b;                  ///< [G][n]
    std::vector<std::int32_t> n_branches;   ///< [G] branches of each group's relaxation modulus
    std::vector<double> share, rate_per_s;  ///< [branches of all groups]
    std::optional<ReducedRange> range;      ///< where viscosities have ranges

    /// Throws InvalidArgument naming `place` when the sizes disagree, or a number is not finite.
    void check(const std::string& place) const;
};
/// Writes them as variables A_el and so on of the group. Reading checks the sizes.
void write_reduced(GroupWriter& group, const ReducedMatrices& reduced);
[[nodiscard]] ReducedMatrices read_reduced(const h5::File& file, const std::string& group);

}  // namespace kaname::io
