// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/chebyshev.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/kernels/bcrs.hpp"
#include "solvers/kernels/blas1.hpp"

namespace kaname::linalg {

using kernels::kLanes;

ChebyshevSmoother::ChebyshevSmoother(Operator<float>& A, int block,
                                     device::View<const float> inverse_diagonal, double lambda_max,
                                     Params params, device::Queue& queue)
    : A_(A),
      block_(block),
      inverse_diagonal_(inverse_diagonal),
      params_(params),
      theta_(0.5 * (lambda_max + lambda_max / params.range)),
      delta_(0.5 * (lambda_max - lambda_max / params.range)),
      other_(inverse_diagonal.size() / block * kLanes, queue),
      Ax_(inverse_diagonal.size() / block * kLanes, queue) {}

void ChebyshevSmoother::pre_smooth(device::View<const float> b, device::View<float> x,
                                   device::Queue& queue) {
    // x1 = D^-1 b / theta, put where an even number of swaps ends in x.
    const device::View<float> first = params_.degree % 2 == 1 ? x : other_.view();
    kernels::block_diagonal_apply(block_, static_cast<float>(1.0 / theta_), inverse_diagonal_, b,
                                  first, queue);
    iterate(b, x, true, queue);
}

void ChebyshevSmoother::post_smooth(device::View<const float> b, device::View<float> x,
                                    device::Queue& queue) {
    A_.apply(x, Ax_, queue);
    kernels::chebyshev_step(block_, 0.0F, static_cast<float>(1.0 / theta_), kernels::Previous::None,
                            inverse_diagonal_, b, Ax_, x, other_, queue);
    iterate(b, x, false, queue);
    if (params_.degree % 2 == 1) {
        device::copy_on_device(x.data(), other_.data(), other_.size() * sizeof(float), queue);
    }
}

void ChebyshevSmoother::residual(device::View<const float> b, device::View<const float> x,
                                 device::View<float> r, device::Queue& queue) {
    A_.apply(x, r, queue);
    kernels::subtract_from(b, r, queue);
}

// rho_(k+1) = 1 / (2 sigma - rho_k), sigma = theta / delta, rho_1 = 1 / sigma
// x_(k+1) = x_k + rho_(k+1) rho_k (x_k - x_(k-1)) + (2 rho_(k+1) / delta) D^-1 (b - A x_k)
void ChebyshevSmoother::iterate(device::View<const float> b, device::View<float> x, bool from_zero,
                                device::Queue& queue) {
    const double sigma = theta_ / delta_;
    double rho = 1.0 / sigma;
    bool in_x = from_zero && params_.degree % 2 == 1;  // where the newest iterate is
    for (int k = 1; k < params_.degree; ++k) {
        const device::View<float> here = in_x ? x : other_.view();
        const device::View<float> next = in_x ? other_.view() : x;
        A_.apply(here, Ax_, queue);
        const double rho_next = 1.0 / (2.0 * sigma - rho);
        const auto previous =
            k == 1 && from_zero ? kernels::Previous::Zero : kernels::Previous::Given;
        kernels::chebyshev_step(block_, static_cast<float>(rho_next * rho),
                                static_cast<float>(2.0 * rho_next / delta_), previous,
                                inverse_diagonal_, b, Ax_, here, next, queue);
        rho = rho_next;
        in_x = !in_x;
    }
}

namespace {

/// A number in (-1, 1) that depends on the arguments only (SplitMix64).
double hashed(std::uint64_t id, std::uint64_t k) {
    std::uint64_t h = id * 0x9E3779B97F4A7C15ULL + (k + 1) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
    h ^= h >> 31;
    return static_cast<double>(h >> 11) * 0x1p-52 - 1.0;
}

}  // namespace

double largest_eigenvalue(Operator<float>& A, int block, device::View<const float> inverse_diagonal,
                          std::span<const std::int64_t> global_ids,
                          device::View<const std::uint8_t> owned,
                          device::View<const std::int32_t> fixed, comm::Comm& comm,
                          device::Queue& queue) {
    constexpr int kIterations = 20;
    constexpr double kSafety = 1.1;
    const int width = block * kLanes;
    const std::size_t size = global_ids.size() * width;
    std::vector<float> start(size);
    for (std::size_t item = 0; item < global_ids.size(); ++item) {
        for (int k = 0; k < width; ++k) {
            start[item * width + k] = static_cast<float>(hashed(global_ids[item], k));
        }
    }
    device::Buffer<float> x(std::span<const float>(start), queue);
    device::Buffer<float> y(size, queue);
    kernels::zero_dofs<float>(fixed, x, queue);
    device::Buffer<double> wide(size, queue);
    double lambda = 0.0;
    for (int iteration = 0; iteration <= kIterations; ++iteration) {
        kernels::scale_to_double(kernels::all_lanes(1.0), x, wide, queue);
        kernels::LaneScalars norm = kernels::dot(wide, wide, width, owned, queue);
        comm.sum(std::span<double>(norm));
        kernels::LaneScalars scale{};
        lambda = 0.0;
        for (int lane = 0; lane < kLanes; ++lane) {
            const double length = std::sqrt(norm[lane]);
            lambda = std::max(lambda, length);
            scale[lane] = length > 0.0 ? 1.0 / length : 0.0;
        }
        if (iteration == kIterations) {
            break;
        }
        kernels::scale_to_float(scale, wide, x, queue);
        A.apply(x, y, queue);
        kernels::block_diagonal_apply(block, 1.0F, inverse_diagonal, y, x, queue);
    }
    return kSafety * lambda;
}

}  // namespace kaname::linalg
