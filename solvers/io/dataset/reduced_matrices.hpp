// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {

/// Small matrices of a source's reduced model (viscoelastic/reduced_model.hpp): n basis vectors, G
/// groups of materials that relax alike.
struct ReducedMatrices {
    std::int64_t n_basis = 0;
    std::vector<double> A_el;               ///< [n][n]
    std::vector<double> A;                  ///< [G][n][n]
    std::vector<double> b;                  ///< [G][n]
    std::vector<std::int32_t> n_branches;   ///< [G] branches of each group's relaxation modulus
    std::vector<double> share, rate_per_s;  ///< [branches of all groups]

    /// Throws InvalidArgument naming `place` when the sizes disagree.
    void check(const std::string& place) const;
};
/// Writes them as variables A_el and so on of the group. Reading checks the sizes.
void write_reduced(GroupWriter& group, const ReducedMatrices& reduced);
[[nodiscard]] ReducedMatrices read_reduced(const h5::File& file, const std::string& group);

}  // namespace kaname::io
