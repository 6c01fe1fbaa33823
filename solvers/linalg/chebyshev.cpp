// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/chebyshev.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/dense.hpp"
#include "solvers/parallel/loops.hpp"

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

using lanes::kLanes;

namespace {

/// A number in (-1, 1) that depends on the arguments only (SplitMix64).
double hashed(std::uint64_t id, std::uint64_t k) {
    std::uint64_t h = id * 0x9E3779B97F4A7C15ULL + (k + 1) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
    h ^= h >> 31;
    return static_cast<double>(h >> 11) * 0x1p-52 - 1.0;
}

using lanes::LaneScalars;

/// One lane's tridiagonal matrix from the coefficients of conjugate gradients, the same as that of
/// Lanczos' method (Golub and Van Loan, Matrix Computations, 10.2).
struct Tridiagonal {
    std::vector<double> diagonal, beside;

    /// Ascending.
    [[nodiscard]] std::vector<double> eigenvalues() const {
        const std::size_t n = diagonal.size();
        std::vector<double> T(n * n, 0.0);
        for (std::size_t k = 0; k < n; ++k) {
            T[k * n + k] = diagonal[k];
            if (k > 0) {
                T[k * n + k - 1] = beside[k - 1];
            }
        }
        return n > 0 ? symmetric_eigen(T, static_cast<int>(n)).value : std::vector<double>{};
    }
};

LaneScalars ratio(const LaneScalars& above, const LaneScalars& below) {
    LaneScalars result{};
    for (int lane = 0; lane < kLanes; ++lane) {
        result[lane] = below[lane] > 0.0 ? above[lane] / below[lane] : 0.0;
    }
    return result;
}

}  // namespace

EigenvalueRange eigenvalue_range(const EigenvalueProblem& problem, int steps, comm::Comm& comm,
                                 device::Queue& queue) {
    constexpr double kConverged = 1e-10;  // part of the first (r, z): below it is rounding
    const std::span<const std::int64_t> ids = problem.global_ids;
    const int width = problem.block * kLanes;
    const std::size_t size = ids.size() * width;
    device::Buffer<float> start(size);
    parallel_for(std::ssize(ids), [&](std::int64_t item) {
        for (int k = 0; k < width; ++k) {
            start[item * width + k] = static_cast<float>(hashed(ids[item], k));
        }
    });
    device::Buffer<float> r = moved_to(queue, std::move(start));
    lanes::zero_dofs<float>(problem.fixed, r, queue);
    device::Buffer<float> z(size, queue), p(size, queue), Ap(size, queue);
    lanes::fill<float>(0.0F, p, queue);
    const auto product = [&](device::View<const float> x, device::View<const float> y) {
        LaneScalars sum = lanes::dot(x, y, width, problem.owned, queue);
        comm.sum(std::span<double>(sum));
        return sum;
    };

    std::array<Tridiagonal, kLanes> found;
    LaneScalars first{}, rz{}, alpha{};
    for (int step = 0; step < steps; ++step) {
        problem.precondition(r, z);
        const LaneScalars rz_before = rz;
        rz = product(r, z);
        first = step == 0 ? rz : first;
        const LaneScalars beta = ratio(rz, rz_before);
        lanes::axpby(lanes::all_lanes(1.0), z, beta, p, queue);
        problem.A.apply(p, Ap, queue);
        const LaneScalars alpha_before = alpha;
        alpha = ratio(rz, product(p, Ap));
        LaneScalars minus_alpha{};
        for (int lane = 0; lane < kLanes; ++lane) {
            minus_alpha[lane] = -alpha[lane];
            Tridiagonal& T = found[lane];
            if (std::ssize(T.diagonal) < step || !(rz[lane] > kConverged * first[lane]) ||
                !(alpha[lane] > 0.0)) {
                continue;
            }
            T.diagonal.push_back(1.0 / alpha[lane] +
                                 (step > 0 ? beta[lane] / alpha_before[lane] : 0.0));
            if (step > 0) {
                T.beside.push_back(std::sqrt(beta[lane]) / alpha_before[lane]);
            }
        }
        lanes::axpby(minus_alpha, Ap, lanes::all_lanes(1.0), r, queue);
    }
    EigenvalueRange range;
    for (const Tridiagonal& T : found) {
        const std::vector<double> values = T.eigenvalues();
        if (!values.empty()) {
            range.smallest = std::min(range.smallest, values.front());
            range.largest = std::max(range.largest, values.back());
        }
    }
    return range;
}

double largest_eigenvalue(Operator<float>& A, int block, device::View<const float> inverse_diagonal,
                          std::span<const std::int64_t> global_ids,
                          device::View<const std::uint8_t> owned,
                          device::View<const std::int32_t> fixed, comm::Comm& comm,
                          device::Queue& queue) {
    constexpr int kSteps = 20;
    constexpr double kSafety = 1.05;
    const auto jacobi = [&](device::View<const float> r, device::View<float> z) {
        lanes::block_diagonal_apply(block, 1.0F, inverse_diagonal, r, z, queue);
    };
    return kSafety *
           eigenvalue_range({A, jacobi, block, global_ids, owned, fixed}, kSteps, comm, queue)
               .largest;
}

}  // namespace kaname::linalg
