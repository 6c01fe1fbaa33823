// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/branch_stress.hpp"

#include <algorithm>

#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

BranchStress::BranchStress(const Model& model, device::Queue& queue)
    : slot_of_(model.second_slot()),
      slot_(model.second_slot(), queue),
      stress_(std::size_t(model.n_second()) * kStressPerElement, queue) {}

void BranchStress::clear(device::Queue& queue) {
    lanes::fill<double>(0.0, stress_, queue);
}

void BranchStress::zero_lane(int lane, device::Queue& queue) {
    lanes::zero_lane<double>(lane, stress_, queue);
}

void BranchStress::spread_first_lane(device::Queue& queue) {
    viscoelastic::spread_first_lane(stress_, queue);
}

void BranchStress::exchange(std::span<const std::int32_t> tet, StateArchive& state,
                            device::Queue& queue) {
    std::vector<std::int64_t> ids(stress_.size() / kStressPerElement);
    for (std::size_t elem = 0; elem < slot_of_.size(); ++elem) {
        if (slot_of_[elem] >= 0) {
            ids[slot_of_[elem]] = tet[elem];
        }
    }
    state.items("second_stress", ids, kStressPerElement / kLanes, stress_, queue);
}

SecondBranch BranchStress::with(const Stiffness& stiffness) {
    return {slot_, stiffness.second_relax(), stiffness.second_weight(), stress_};
}

}  // namespace kaname::viscoelastic
