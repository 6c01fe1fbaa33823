// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/cg_passes.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/cg_passes_body.hpp"
#include "solvers/lanes/reduce.hpp"

namespace kaname::lanes {
namespace {

void require_all_equal(const char* kernel, std::size_t size,
                       std::initializer_list<std::size_t> all) {
    for (const std::size_t other : all) {
        if (other != size) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string(kernel) + ": all vectors must have one size, got " +
                            std::to_string(size) + " and " + std::to_string(other));
        }
    }
}

template <std::size_t N>
LaneScalars part(const std::array<double, N>& sums, int which) {
    LaneScalars result;
    std::copy_n(sums.begin() + std::ptrdiff_t(which) * kLanes, kLanes, result.begin());
    return result;
}

}  // namespace

ResidualSums residual(device::View<const double> b, device::View<double> r, int width,
                      device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_all_equal("residual", r.size(), {b.size()});
    const auto n = static_cast<double>(r.size());
    device::note(queue, device::Work::of<double>(3.0 * sizeof(double) * n, 5.0 * n));
    const body::Residual<> body{b.data(), r.data(), width / kLanes};
    const auto sums = reduce(queue, static_cast<std::int64_t>(r.size()) / width, body, owned);
    return {part(sums, 0), part(sums, 1)};
}

LaneScalars update(const UpdatePass& pass, int width, device::View<const std::uint8_t> owned,
                   device::Queue& queue) {
    require_all_equal("update", pass.r.size(), {pass.p.size(), pass.Ap.size(), pass.x.size()});
    const auto n = static_cast<double>(pass.r.size());
    device::note(queue, device::Work::of<double>(6.0 * sizeof(double) * n, 6.0 * n));
    const body::Update<> body{body::Scalars<double, kLanes>(pass.a),
                              pass.p.data(),
                              pass.Ap.data(),
                              pass.x.data(),
                              pass.r.data(),
                              width / kLanes};
    return reduce(queue, static_cast<std::int64_t>(pass.r.size()) / width, body, owned);
}

}  // namespace kaname::lanes
