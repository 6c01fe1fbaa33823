// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/vertical_springs.hpp"

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/viscoelastic/kernels/vertical_springs_body.hpp"

namespace kaname::viscoelastic {

template <class T>
void apply_springs(const VerticalSprings<T>& springs, device::View<const T> x, device::View<T> y,
                   device::Queue& queue) {
    if (springs.ptr.size() != springs.node.size() + 1 || springs.col.size() != springs.val.size() ||
        x.size() != y.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "apply_springs: the rows' ends, columns and vectors must fit together");
    }
    const auto rows = static_cast<double>(springs.node.size());
    const auto entries = static_cast<double>(springs.col.size());
    device::note(queue, device::Work::of<T>((4.0 + sizeof(T)) * entries + 8.0 * rows +
                                                3.0 * sizeof(T) * lanes::kLanes * rows,
                                            2.0 * lanes::kLanes * entries));
    lanes::for_each(queue, static_cast<std::int64_t>(springs.node.size()),
                    body::SpringRow<T>{springs.node.data(), springs.ptr.data(), springs.col.data(),
                                       springs.val.data(), x.data(), y.data()});
}

template void apply_springs(const VerticalSprings<float>&, device::View<const float>,
                            device::View<float>, device::Queue&);
template void apply_springs(const VerticalSprings<double>&, device::View<const double>,
                            device::View<double>, device::Queue&);

}  // namespace kaname::viscoelastic
