// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::bench {

/// The P2 stiffness of a whole model (one rank) over its free nodes, compressed rows.
struct AssembledSystem {
    std::vector<std::int32_t> nodes;  ///< free nodes: those without a fixed component
    std::vector<std::int64_t> row_ptr = {0};
    std::vector<std::int32_t> col;  ///< ascending in a row
    std::vector<double> val;

    [[nodiscard]] std::int32_t size() const {
        return static_cast<std::int32_t>(row_ptr.size()) - 1;
    }
};

/// Throws InvalidArgument when a node has some components fixed and others free: such a system is
/// not one of whole 3x3 blocks.
[[nodiscard]] AssembledSystem assemble(const viscoelastic::Model& model,
                                       const viscoelastic::ElementModuli& moduli);

}  // namespace kaname::bench
