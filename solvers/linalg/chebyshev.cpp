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
                                     Params params)
    : A_(A),
      block_(block),
      inverse_diagonal_(inverse_diagonal),
      params_(params),
      theta_(0.5 * (lambda_max + lambda_max / params.range)),
      delta_(0.5 * (lambda_max - lambda_max / params.range)),
      d_(inverse_diagonal.size() / block * kLanes),
      Ad_(inverse_diagonal.size() / block * kLanes) {}

void ChebyshevSmoother::pre_smooth(device::View<const float> b, device::View<float> x,
                                   device::View<float> r, device::Queue& queue) {
    std::copy(b.begin(), b.end(), r.begin());
    kernels::fill<float>(0.0F, x, queue);
    kernels::fill<float>(0.0F, Ad_, queue);
    kernels::fill<float>(0.0F, d_, queue);
    // d = D^-1 r / theta;  x = d
    kernels::chebyshev_update(block_, 0.0F, static_cast<float>(1.0 / theta_), inverse_diagonal_,
                              Ad_, r, d_, x, queue);
    iterate(x, r, queue);
    A_.apply(d_, Ad_, queue);
    kernels::subtract(Ad_, r, queue);
}

void ChebyshevSmoother::post_smooth(device::View<const float> Ae, device::View<float> x,
                                    device::View<float> r, device::Queue& queue) {
    kernels::fill<float>(0.0F, d_, queue);
    kernels::chebyshev_update(block_, 0.0F, static_cast<float>(1.0 / theta_), inverse_diagonal_, Ae,
                              r, d_, x, queue);
    iterate(x, r, queue);
}

// rho_k = 1 / (2 sigma - rho_(k-1)), sigma = theta / delta
// d = rho_k rho_(k-1) d + (2 rho_k / delta) D^-1 r;  x += d
void ChebyshevSmoother::iterate(device::View<float> x, device::View<float> r,
                                device::Queue& queue) {
    const double sigma = theta_ / delta_;
    double rho = 1.0 / sigma;
    for (int k = 1; k < params_.degree; ++k) {
        A_.apply(d_, Ad_, queue);
        const double next = 1.0 / (2.0 * sigma - rho);
        kernels::chebyshev_update(block_, static_cast<float>(next * rho),
                                  static_cast<float>(2.0 * next / delta_), inverse_diagonal_, Ad_,
                                  r, d_, x, queue);
        rho = next;
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
                          std::span<const std::uint8_t> owned, std::span<const std::int32_t> fixed,
                          comm::Comm& comm, device::Queue& queue) {
    constexpr int kIterations = 20;
    constexpr double kSafety = 1.1;
    const int width = block * kLanes;
    const std::size_t size = global_ids.size() * width;
    device::Buffer<float> x(size);
    device::Buffer<float> y(size);
    for (std::size_t item = 0; item < global_ids.size(); ++item) {
        for (int k = 0; k < width; ++k) {
            x[item * width + k] = static_cast<float>(hashed(global_ids[item], k));
        }
    }
    kernels::zero_dofs<float>(fixed, x, queue);
    device::Buffer<double> wide(size);
    double lambda = 0.0;
    for (int iteration = 0; iteration <= kIterations; ++iteration) {
        kernels::scale_to_double({1.0, 1.0, 1.0, 1.0}, x, wide, queue);
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
        kernels::block_diagonal_apply(block, inverse_diagonal, y, x, queue);
    }
    return kSafety * lambda;
}

}  // namespace kaname::linalg
