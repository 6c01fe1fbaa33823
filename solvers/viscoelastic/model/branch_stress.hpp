// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/model/stiffness.hpp"
#include "solvers/viscoelastic/stepping/state_archive.hpp"

namespace kaname::viscoelastic {

/// The stress of the second branch of standard linear solids and Burgers bodies, four sources
/// [n_second()][4][6][4], in the memory of a queue; no memory where this rank has none.
class BranchStress {
public:
    BranchStress(const Model& model, device::Queue& queue);

    void clear(device::Queue& queue);
    void zero_lane(int lane, device::Queue& queue);
    /// All sources take what the first has.
    void spread_first_lane(device::Queue& queue);
    /// `tet` [El]: the elements in the whole mesh. Collective.
    void exchange(std::span<const std::int32_t> tet, StateArchive& state, device::Queue& queue);
    /// For the stress kernels of a step with this stiffness.
    [[nodiscard]] SecondBranch with(const Stiffness& stiffness);

private:
    std::span<const std::int32_t> slot_of_;  ///< the model's
    device::Mirror<std::int32_t> slot_;
    device::Buffer<double> stress_;
};

}  // namespace kaname::viscoelastic
