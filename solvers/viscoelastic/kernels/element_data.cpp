// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/element_data.hpp"

namespace kaname::viscoelastic {

ElementData::ElementData(const p2::LocalMesh& mesh, std::span<const ElementGeometry> all,
                         const ElementModuli& moduli)
    : conn(mesh.conn),
      geometry(all),
      lam(moduli.lam),
      mu(moduli.mu),
      n_nodes(mesh.n_nodes()),
      blocks(&mesh.blocks) {}

ElementArrays::ElementArrays(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                             device::Queue& queue)
    : mesh_(mesh),
      conn_(std::span<const std::array<std::int32_t, p2::kNodesPerTet10>>(mesh.conn), queue),
      geometry_(geometry, queue) {
    if (queue.backend() == device::Backend::Cuda) {
        const std::span flat(reinterpret_cast<const std::int32_t*>(mesh.conn.data()),
                             mesh.conn.size() * p2::kNodesPerTet10);
        scatter_ = BlockScatter(block_nodes(flat, mesh.blocks.colours, 1), mesh.blocks, 0, queue);
    }
}

ElementData ElementArrays::data(device::View<const double> lam,
                                device::View<const double> mu) const {
    ElementData data;
    data.conn = conn_;
    data.geometry = geometry_;
    data.lam = lam;
    data.mu = mu;
    data.n_nodes = mesh_.n_nodes();
    data.blocks = &mesh_.blocks;
    data.scatter = &scatter_;
    return data;
}

}  // namespace kaname::viscoelastic
