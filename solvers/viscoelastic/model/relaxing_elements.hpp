// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Which of this rank's elements relax, in the memory of a queue: a time step loads and changes
/// only these. The stress of the others follows from the displacement, sigma = D B (u + s).
class RelaxingElements {
public:
    RelaxingElements(const Model& model, device::Queue& queue);
    RelaxingElements(const RelaxingElements&) = delete;
    RelaxingElements& operator=(const RelaxingElements&) = delete;

    [[nodiscard]] device::View<const std::int32_t> relaxing() const { return relaxing_; }
    [[nodiscard]] device::View<const std::int32_t> lasting() const { return lasting_; }
    /// The same elements, of whose blocks only those are left where something relaxes. Views of
    /// this.
    [[nodiscard]] ElementData blocks_of(ElementData data) const;

private:
    device::Buffer<std::int32_t> relaxing_, lasting_;  ///< ascending
    p2::ElementBlocks blocks_;
    BlockScatter scatter_;  ///< on a GPU
};

}  // namespace kaname::viscoelastic
