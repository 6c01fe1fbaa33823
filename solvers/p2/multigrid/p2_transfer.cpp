// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/p2_transfer.hpp"

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/p2/multigrid/p2_transfer_body.hpp"
#include "solvers/parallel/incidence.hpp"

namespace kaname::multigrid {

P2Transfer::P2Transfer(const p2::LocalMesh& mesh, device::Queue& queue) {
    std::vector<std::int32_t> vertex_node = mesh.vertex_node;
    std::vector<std::int32_t> parent(2 * std::size_t(mesh.n_nodes()));
    parallel_for(mesh.n_vertices(), [&](std::int64_t v) {
        const std::int32_t node = mesh.vertex_node[v];
        parent[2 * node] = parent[2 * node + 1] = static_cast<std::int32_t>(v);
        if (!mesh.node_halo.owned(node)) {
            vertex_node[v] = -1;
        }
    });
    const std::int64_t n_edges = std::ssize(mesh.mid_edges);
    parallel_for(n_edges, [&](std::int64_t k) {
        const auto& edge = mesh.mid_edges[k];
        parent[2 * edge.node] = edge.v0;
        parent[2 * edge.node + 1] = edge.v1;
    });
    const Incidence at_vertex = incidence(2 * n_edges, mesh.n_vertices(), [&](std::int64_t end) {
        const auto& edge = mesh.mid_edges[end / 2];
        return !mesh.node_halo.owned(edge.node) ? -1 : end % 2 == 0 ? edge.v0 : edge.v1;
    });
    const std::vector<std::int32_t> ptr(at_vertex.first.begin(), at_vertex.first.end());
    std::vector<std::int32_t> mid(at_vertex.place.size());
    parallel_for(std::ssize(mid),
                 [&](std::int64_t k) { mid[k] = mesh.mid_edges[at_vertex.place[k] / 2].node; });
    lists_.vertex_node = {std::span<const std::int32_t>(vertex_node), queue};
    lists_.at_vertex = {std::span<const std::int32_t>(mesh.vertex_node), queue};
    lists_.ptr = {std::span<const std::int32_t>(ptr), queue};
    lists_.mid = {std::span<const std::int32_t>(mid), queue};
    lists_.parent = {std::span<const std::int32_t>(parent), queue};
}

void P2Transfer::restrict_to(device::View<const float> r, device::View<float> out,
                             device::Queue& queue) const {
    const device::InPhase phase(queue, device::Phase::P1Below);
    const auto mids = static_cast<double>(lists_.mid.size());
    device::note(queue, device::Work::of<float>(
                            4.0 * static_cast<double>(r.size() + out.size() + lists_.mid.size() +
                                                      2 * lists_.vertex_node.size()),
                            2.0 * 3.0 * lanes::kLanes * mids));
    lanes::for_each(queue, static_cast<std::int64_t>(lists_.vertex_node.size()),
                    body::Restrict<>{lists_.vertex_node.data(), lists_.ptr.data(),
                                     lists_.mid.data(), r.data(), out.data()});
}

void P2Transfer::prolong_add(device::View<const float> v, device::View<float> x,
                             device::Queue& queue) const {
    const device::InPhase phase(queue, device::Phase::P1Below);
    const auto n = static_cast<double>(x.size());
    device::note(queue, device::Work::of<float>(
                            4.0 * (2.0 * n + static_cast<double>(v.size() + lists_.parent.size())),
                            3.0 * n));
    lanes::for_each(queue, static_cast<std::int64_t>(lists_.parent.size()) / 2,
                    body::ProlongAdd<>{lists_.parent.data(), v.data(), x.data()});
}

void P2Transfer::inject(device::View<const float> x, device::View<float> out,
                        device::Queue& queue) const {
    const device::InPhase phase(queue, device::Phase::P1Below);
    lanes::gather_items<float>(lists_.at_vertex, 3 * lanes::kLanes, x, out, queue);
}

}  // namespace kaname::multigrid
