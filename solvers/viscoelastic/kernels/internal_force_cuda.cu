// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/for_each.cuh"
#include "solvers/viscoelastic/kernels/block_kernel.cuh"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/internal_force_body.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure_body.hpp"

namespace kaname::viscoelastic {

using device::cuda::for_each;
using lanes::kLanes;

namespace {

/// The listed elements are few and only near the fault: atomics.
struct AddOffsetForce {
    body::OffsetForce force;
    double* f;
    __device__ void operator()(std::int64_t item) const {
        const int lane = static_cast<int>(item % kLanes);
        const std::int64_t at = item / kLanes;
        double own[10][3];
        force(at, lanes::OneLane<kLanes>{lane}, own);
        const std::int32_t* node =
            force.data.conn + std::int64_t(force.offsets[at].elem) * p2::kNodesPerTet10;
        for (int k = 0; k < 10; ++k) {
            for (int c = 0; c < 3; ++c) {
                atomicAdd(f + (std::int64_t(node[k]) * 3 + c) * kLanes + lane, own[k][c]);
            }
        }
    }
};

}  // namespace

void offset_force_cuda(const OffsetForceArgs& args, device::Queue& queue) {
    const body::OffsetForce force{args.data, args.offsets.data()};
    for_each(static_cast<std::int64_t>(args.offsets.size()) * kLanes,
             AddOffsetForce{force, args.f.data()}, "offset_force", queue);
}

void stress_force_cuda(const StressForceArgs& args, device::Queue& queue) {
    launch_all_blocks(
        body::StressForce{args.data, args.relax.data(), args.stress.data(), args.second},
        *args.data.scatter, args.f.data(), "stress_force", queue);
}

void stress_step_cuda(const StressStepArgs& args, device::Queue& queue) {
    launch_all_blocks(body::stress_step(args), *args.update.data.scatter, args.f.data(),
                      "stress_step", queue);
}

}  // namespace kaname::viscoelastic

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(viscoelastic::body::StressUpdate<>)
KANAME_FOR_EACH_CUDA(viscoelastic::body::ChainedStressUpdate<>)
KANAME_FOR_EACH_CUDA(viscoelastic::body::LastingStress<>)

}  // namespace kaname::lanes

namespace kaname::viscoelastic {

using device::cuda::for_each;
using lanes::kLanes;

namespace {

struct AddDilatation {
    body::Dilatation dilatation;
    body::NodesOfElements nodes;
    double* y;
    __device__ void operator()(std::int64_t item) const { add(item / kLanes, item % kLanes); }
    __device__ void add(std::int64_t elem, int lane) const {
        if (!nodes.at(elem)) {
            return;
        }
        double theta[4];
        dilatation(elem, lanes::OneLane<kLanes>{lane}, theta);
        for (int k = 0; k < 4; ++k) {
            atomicAdd(y + nodes.node(elem, k) * kLanes + lane, theta[k]);
        }
    }
};

/// Adds the dilatation of the listed elements alone.
struct AddOffsetDilatation {
    AddDilatation all;
    __device__ void operator()(std::int64_t item) const {
        all.add(all.dilatation.offsets[item / kLanes].elem, item % kLanes);
    }
};

}  // namespace

void dilatation_cuda(const DilatationArgs& args, device::Queue& queue) {
    const auto n_offsets = static_cast<std::int32_t>(args.offsets.size());
    const AddDilatation add{
        {args.data, args.offsets.data(), n_offsets, args.x.empty() ? nullptr : args.x.data()},
        {args.nodes, args.none},
        args.y.data()};
    if (args.x.empty()) {
        for_each(std::int64_t(n_offsets) * kLanes, AddOffsetDilatation{add}, "dilatation", queue);
    } else {
        for_each(static_cast<std::int64_t>(args.data.conn.size()) * kLanes, add, "dilatation",
                 queue);
    }
}

void pressure_force_cuda(const PressureForceArgs& args, device::Queue& queue) {
    const body::PressureForce force{args.data, {args.nodes, args.none}, args.pressure.data()};
    launch_all_blocks(force, *args.data.scatter, args.f.data(), "pressure_force", queue);
}

}  // namespace kaname::viscoelastic
