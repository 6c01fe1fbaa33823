// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/relaxing_elements.hpp"

#include <algorithm>

namespace kaname::viscoelastic {

RelaxingElements::RelaxingElements(const Model& model, device::Queue& queue) {
    const p2::LocalMesh& mesh = model.mesh();
    const auto relaxes = [&](std::int32_t elem) {
        return model.materials()[mesh.material[elem]].viscosity_pa_s.has_value();
    };
    std::vector<std::int32_t> relaxing;
    std::vector<std::int32_t> lasting;
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        (relaxes(elem) ? relaxing : lasting).push_back(elem);
    }
    relaxing_ = {std::span<const std::int32_t>(relaxing), queue};
    lasting_ = {std::span<const std::int32_t>(lasting), queue};

    blocks_.n_boundary_colours = mesh.blocks.n_boundary_colours;
    for (const auto& colour : mesh.blocks.colours) {
        auto& left = blocks_.colours.emplace_back();
        std::ranges::copy_if(colour, std::back_inserter(left), [&](const auto& block) {
            const auto next = std::ranges::lower_bound(relaxing, block.begin);
            return next != relaxing.end() && *next < block.end;
        });
    }
    if (queue.backend() == device::Backend::Cuda) {
        const std::span flat(reinterpret_cast<const std::int32_t*>(mesh.conn.data()),
                             mesh.conn.size() * p2::kNodesPerTet10);
        scatter_ = BlockScatter(block_nodes(flat, blocks_.colours, 1), blocks_, 0, queue);
    }
}

ElementData RelaxingElements::blocks_of(ElementData data) const {
    data.blocks = &blocks_;
    data.scatter = &scatter_;
    return data;
}

}  // namespace kaname::viscoelastic
