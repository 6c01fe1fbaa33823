// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// RelaxingElements lists this rank's elements that relax, in the memory of a queue: a time step
/// loads and changes only these. The stress of the others follows from the displacement,
/// sigma = D B (u + s).
class RelaxingElements {
public:
    RelaxingElements(const Model& model, device::Queue& queue);
    RelaxingElements(const RelaxingElements&) = delete;
    RelaxingElements& operator=(const RelaxingElements&) = delete;

    [[nodiscard]] device::View<const std::int32_t> relaxing() const { return relaxing_; }
    [[nodiscard]] device::View<const std::int32_t> lasting() const { return lasting_; }
    /// Returns the data with only those element blocks in which something relaxes. They are views
    /// of this object.
    [[nodiscard]] ElementData blocks_of(ElementData data) const;

private:
    device::Buffer<std::int32_t> relaxing_, lasting_;  ///< ascending
    p2::ElementBlocks blocks_;
    BlockScatter scatter_;  ///< on a GPU
};

}  // namespace kaname::viscoelastic
