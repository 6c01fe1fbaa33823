// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/slab.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {
namespace {

template <class T>
std::size_t plane_size(const NodeField<T>& field) {
    return std::size_t(field.nodes()[1]) * field.stride();
}

/// Planes of all components one after the other, [component][z][y][place].
template <class T>
void copy_out(const NodeField<T>& field, Planes planes, T* to) {
    const std::size_t size = plane_size(field) * (planes.to - planes.from);
    for (int c = 0; c < 3; ++c) {
        std::memcpy(to + c * size, field.row(c, planes.from, 0), size * sizeof(T));
    }
}

template <class T>
void copy_in(const T* from, Planes planes, NodeField<T>& field) {
    const std::size_t size = plane_size(field) * (planes.to - planes.from);
    for (int c = 0; c < 3; ++c) {
        std::memcpy(field.row(c, planes.from, 0), from + c * size, size * sizeof(T));
    }
}

template <class T>
comm::Bytes bytes_of(const NodeField<T>& field, Planes planes) {
    std::vector<T> values(3 * plane_size(field) * (planes.to - planes.from));
    copy_out(field, planes, values.data());
    comm::Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
void take(const comm::Bytes& bytes, Planes planes, NodeField<T>& field) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    copy_in(values.data(), planes, field);
}

}  // namespace

Slab slab_of(const VoxelModel& model, int rank, int ranks) {
    const int planes = model.nodes()[2];
    if (ranks > 1 && ranks > planes / 2) {
        throw Error(ErrorCode::InvalidArgument,
                    "ranks must be at most half of the planes of nodes along z, " +
                        std::to_string(planes / 2) + ", got " + std::to_string(ranks));
    }
    // Known planes begin at even ones, so that layers are even and odd as in the whole model.
    const auto begin = [&](int of) {
        const auto share = static_cast<int>(std::int64_t{planes} * of / ranks);
        return of == 0 || of == ranks ? share : share / 2 * 2 + 1;
    };
    Slab slab;
    slab.rank = rank;
    slab.ranks = ranks;
    slab.own = {begin(rank), begin(rank + 1)};
    slab.known = {slab.own.from - (slab.below() ? 1 : 0), slab.own.to + (slab.above() ? 1 : 0)};
    return slab;
}

VoxelModel model_of(const VoxelModel& whole, const Slab& slab) {
    VoxelModel model;
    model.ds_m = whole.ds_m;
    model.solids = whole.solids;
    model.voxels = {whole.voxels[0], whole.voxels[1], slab.known.to - 1 - slab.known.from};
    const auto layer = std::ptrdiff_t{whole.voxels[0]} * whole.voxels[1];
    model.solid_of.assign(whole.solid_of.begin() + layer * slab.known.from,
                          whole.solid_of.begin() + layer * (slab.known.to - 1));
    return model;
}

StepTerms terms_of(const StepTerms& whole, const VoxelModel& model, const Slab& slab) {
    StepTerms terms = whole;
    const auto plane = std::ptrdiff_t{model.nodes()[0]} * model.nodes()[1];
    terms.dt2_per_mass.assign(whole.dt2_per_mass.begin() + plane * slab.known.from,
                              whole.dt2_per_mass.begin() + plane * slab.known.to);
    terms.keep[2].assign(whole.keep[2].begin() + slab.known.from,
                         whole.keep[2].begin() + slab.known.to);
    return terms;
}

template <class T>
PlaneExchange<T>::PlaneExchange(comm::Comm& comm, const Slab& slab, std::array<int, 3> known_nodes,
                                int lanes)
    : comm_(comm), slab_(slab) {
    const NodeField<T> plane({known_nodes[0], known_nodes[1], 1}, lanes);
    for (int side = 0; side < 2; ++side) {
        const bool there = side == 0 ? slab.below() : slab.above();
        send_[side].resize(there ? 3 * plane_size(plane) : 0);
        receive_[side].resize(send_[side].size());
    }
}

template <class T>
void PlaneExchange<T>::start(const NodeField<T>& field) {
    const Planes own = slab_.local();
    std::vector<comm::Message> sends, receives;
    for (int side = 0; side < 2; ++side) {
        if (send_[side].empty()) {
            continue;
        }
        const int z = side == 0 ? own.from : own.to - 1;
        copy_out(field, {z, z + 1}, send_[side].data());
        const int peer = slab_.rank + (side == 0 ? -1 : 1);
        sends.push_back({peer, std::as_writable_bytes(std::span<T>(send_[side]))});
        receives.push_back({peer, std::as_writable_bytes(std::span<T>(receive_[side]))});
    }
    comm_.start_exchange(sends, receives);
}

template <class T>
void PlaneExchange<T>::finish(NodeField<T>& field) {
    comm_.finish_exchange();
    const Planes own = slab_.local();
    for (int side = 0; side < 2; ++side) {
        if (!receive_[side].empty()) {
            const int z = side == 0 ? own.from - 1 : own.to;
            copy_in(receive_[side].data(), {z, z + 1}, field);
        }
    }
}

template <class T>
NodeField<T> gather_planes(const NodeField<T>& known, const Slab& slab, const VoxelModel& model,
                           comm::Comm& comm) {
    std::vector<comm::Bytes> outgoing(static_cast<std::size_t>(slab.ranks));
    outgoing[0] = bytes_of(known, slab.local());
    const std::vector<comm::Bytes> incoming = comm.all_to_all(outgoing);
    if (slab.rank != 0) {
        return {};
    }
    NodeField<T> whole(model.nodes(), known.lanes());
    for (int rank = 0; rank < slab.ranks; ++rank) {
        take(incoming[static_cast<std::size_t>(rank)], slab_of(model, rank, slab.ranks).own, whole);
    }
    return whole;
}

template <class T>
NodeField<T> scatter_planes(const NodeField<T>& whole, const Slab& slab, const VoxelModel& model,
                            int lanes, comm::Comm& comm) {
    std::vector<comm::Bytes> outgoing(static_cast<std::size_t>(slab.ranks));
    for (int rank = 0; slab.rank == 0 && rank < slab.ranks; ++rank) {
        outgoing[static_cast<std::size_t>(rank)] =
            bytes_of(whole, slab_of(model, rank, slab.ranks).known);
    }
    const std::vector<comm::Bytes> incoming = comm.all_to_all(outgoing);
    const int planes = slab.known.to - slab.known.from;
    NodeField<T> known({model.nodes()[0], model.nodes()[1], planes}, lanes);
    take(incoming[0], {0, planes}, known);
    return known;
}

template class PlaneExchange<double>;
template class PlaneExchange<float>;
template NodeField<double> gather_planes(const NodeField<double>&, const Slab&, const VoxelModel&,
                                         comm::Comm&);
template NodeField<float> gather_planes(const NodeField<float>&, const Slab&, const VoxelModel&,
                                        comm::Comm&);
template NodeField<double> scatter_planes(const NodeField<double>&, const Slab&, const VoxelModel&,
                                          int, comm::Comm&);
template NodeField<float> scatter_planes(const NodeField<float>&, const Slab&, const VoxelModel&,
                                         int, comm::Comm&);

}  // namespace kaname::voxelwave
