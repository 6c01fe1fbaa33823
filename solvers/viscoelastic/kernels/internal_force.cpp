// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/internal_force.hpp"

#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

void require(bool ok, const char* kernel, const char* rule) {
    if (!ok) {
        throw Error(ErrorCode::InvalidArgument, std::string(kernel) + ": " + rule);
    }
}

std::size_t vector_size(const ElementData& data) {
    return std::size_t(data.mesh.n_nodes()) * 3 * kernels::kLanes;
}

std::size_t stress_size(const ElementData& data) {
    return std::size_t(data.mesh.n_tets()) * kStressPerElement;
}

}  // namespace

void offset_force(const OffsetForceArgs& args, device::Queue& queue) {
    require(args.f.size() == vector_size(args.data), "offset_force", "f must be [N][3][4]");
    KANAME_DISPATCH(queue, offset_force, args)
}

void stress_force(const StressForceArgs& args, device::Queue& queue) {
    require(args.f.size() == vector_size(args.data), "stress_force", "f must be [N][3][4]");
    require(args.stress.size() == stress_size(args.data), "stress_force",
            "stress must be [El][4][6][4]");
    KANAME_DISPATCH(queue, stress_force, args)
}

void stress_update(const StressUpdateArgs& args, device::Queue& queue) {
    require(args.du.size() == vector_size(args.data), "stress_update", "du must be [N][3][4]");
    require(args.stress.size() == stress_size(args.data), "stress_update",
            "stress must be [El][4][6][4]");
    KANAME_DISPATCH(queue, stress_update, args)
}

}  // namespace kaname::viscoelastic
