// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/chebyshev.hpp"

#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::linalg {

using lanes::kLanes;

ChebyshevSmoother::ChebyshevSmoother(Operator<float>& A, int block,
                                     device::View<const float> inverse_diagonal, double lambda_max,
                                     Params params, device::Queue& queue)
    : A_(A),
      block_(block),
      inverse_diagonal_(inverse_diagonal),
      lambda_max_(lambda_max),
      other_(inverse_diagonal.size() / block * kLanes, queue),
      Ax_(inverse_diagonal.size() / block * kLanes, queue) {
    set(params);
}

void ChebyshevSmoother::set(Params params) {
    params_ = params;
    theta_ = 0.5 * (lambda_max_ + lambda_max_ / params.range);
    delta_ = 0.5 * (lambda_max_ - lambda_max_ / params.range);
}

void ChebyshevSmoother::pre_smooth(device::View<const float> b, device::View<float> x,
                                   device::Queue& queue) {
    // x1 = D^-1 b / theta, put where an even number of swaps ends in x.
    const device::View<float> first = params_.degree % 2 == 1 ? x : other_.view();
    lanes::block_diagonal_apply(block_, static_cast<float>(1.0 / theta_), inverse_diagonal_, b,
                                first, queue);
    iterate(b, x, true, queue);
}

void ChebyshevSmoother::post_smooth(device::View<const float> b, device::View<float> x,
                                    device::Queue& queue) {
    step(0.0, 1.0 / theta_, lanes::Previous::None, b, x, other_, queue);
    iterate(b, x, false, queue);
    if (params_.degree % 2 == 1) {
        device::copy_on_device(x.data(), other_.data(), other_.size() * sizeof(float), queue);
    }
}

void ChebyshevSmoother::residual(device::View<const float> b, device::View<const float> x,
                                 device::View<float> r, device::Queue& queue) {
    if (const lanes::Bcrs* rows = A_.whole_rows()) {
        lanes::bcrs_residual(*rows, b, x, r, queue);
    } else {
        A_.apply(x, r, queue);
        lanes::subtract_from(b, r, queue);
    }
}

void ChebyshevSmoother::step(double w, double c, lanes::Previous before,
                             device::View<const float> b, device::View<const float> x,
                             device::View<float> next, device::Queue& queue) {
    const auto w32 = static_cast<float>(w);
    const auto c32 = static_cast<float>(c);
    if (const lanes::Bcrs* rows = A_.whole_rows()) {
        lanes::bcrs_chebyshev_step(*rows, w32, c32, before, inverse_diagonal_, b, x, next, queue);
    } else {
        A_.apply(x, Ax_, queue);
        lanes::chebyshev_step(block_, w32, c32, before, inverse_diagonal_, b, Ax_, x, next, queue);
    }
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
        const double rho_next = 1.0 / (2.0 * sigma - rho);
        const auto previous = k == 1 && from_zero ? lanes::Previous::Zero : lanes::Previous::Given;
        step(rho_next * rho, 2.0 * rho_next / delta_, previous, b, here, next, queue);
        rho = rho_next;
        in_x = !in_x;
    }
}

}  // namespace kaname::linalg
