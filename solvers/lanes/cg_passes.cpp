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

void require_equal(const char* kernel, std::size_t size, std::initializer_list<std::size_t> all) {
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

ResidualSums residual(const ResidualPass& pass, int width, device::View<const std::uint8_t> owned,
                      device::Queue& queue) {
    require_equal("residual", pass.r.size(), {pass.b.size(), pass.Ax.size()});
    using Scalars = body::Scalars<double, kLanes>;
    LaneScalars keep;
    std::transform(pass.take.begin(), pass.take.end(), keep.begin(),
                   [](double take) { return take == 0.0 ? 1.0 : 0.0; });
    const double arrays = pass.Ax.data() == pass.r.data() || keep == LaneScalars{} ? 3.0 : 4.0;
    const auto n = static_cast<double>(pass.r.size());
    device::note(queue, device::Work::of<double>(arrays * sizeof(double) * n, 5.0 * n));
    const body::Residual<> body{Scalars(pass.take), Scalars(keep), pass.b.data(),
                                pass.Ax.data(),     pass.r.data(), width / kLanes};
    const auto sums = reduce(queue, static_cast<std::int64_t>(pass.r.size()) / width, body, owned);
    return {part(sums, 0), part(sums, 1)};
}

template <class T>
LaneScalars update(const UpdatePass<T>& pass, int width, device::View<const std::uint8_t> owned,
                   device::Queue& queue) {
    require_equal("update", pass.r.size(), {pass.p.size(), pass.Ap.size(), pass.x.size()});
    const auto n = static_cast<double>(pass.r.size());
    device::note(queue,
                 device::Work::of<double>((2.0 * sizeof(T) + 4.0 * sizeof(double)) * n, 6.0 * n));
    const body::Update<T> body{body::Scalars<double, kLanes>(pass.a),
                               pass.p.data(),
                               pass.Ap.data(),
                               pass.x.data(),
                               pass.r.data(),
                               width / kLanes};
    return reduce(queue, static_cast<std::int64_t>(pass.r.size()) / width, body, owned);
}

DirectionSums direction_sums(const DirectionPass& pass, int width,
                             device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_equal("direction_sums", pass.p.size(),
                  {pass.r.size(), pass.Ap.size(), pass.d.size() * kLanes});
    const auto n = static_cast<double>(pass.p.size());
    device::note(queue,
                 device::Work::of<double>((3.0 + 1.0 / kLanes) * sizeof(float) * n, 7.0 * n));
    const body::DirectionProducts<> body{pass.r.data(), pass.p.data(), pass.Ap.data(),
                                         pass.d.data(), width / kLanes};
    const auto sums = reduce(queue, static_cast<std::int64_t>(pass.p.size()) / width, body, owned);
    return {part(sums, 0), part(sums, 1), part(sums, 2)};
}

template LaneScalars update(const UpdatePass<float>&, int, device::View<const std::uint8_t>,
                            device::Queue&);
template LaneScalars update(const UpdatePass<double>&, int, device::View<const std::uint8_t>,
                            device::Queue&);

}  // namespace kaname::lanes
