// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/pcg.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::linalg {
namespace {

using lanes::kLanes;
using lanes::LaneScalars;

/// State of the iteration: scalars per lane and which lanes still move. Directions, their images
/// and what the preconditioner sees are scaled by the norm of the residual they come from, so that
/// FP32 neither overflows nor underflows: r = s r^, z = s z^, p = s p^, A p = s A p^, s = ||r||.
class Iteration {
public:
    Iteration(const PcgProblem& problem, const PcgParams& params, PcgWorkspace& work,
              comm::Comm& comm, device::Queue& queue)
        : problem_(problem), params_(params), work_(work), comm_(comm), queue_(queue) {}

    std::array<LaneResult, kLanes> run() {
        start();
        for (int iteration = 0; going_on() && iteration < params_.max_iterations; ++iteration) {
            step(iteration == 0);
        }
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                result_[lane].status = LaneStatus::MaxIterations;
            }
        }
        return result_;
    }

private:
    template <class... Sums>
    void sum_over_ranks(Sums&... sums) {
        const device::InPhase waiting(queue_, device::Phase::Waiting);
        std::array<double, sizeof...(Sums) * kLanes> all;
        auto* at = all.data();
        ((at = std::copy(sums.begin(), sums.end(), at)), ...);
        comm_.sum(std::span<double>(all));
        at = all.data();
        ((std::copy_n(at, kLanes, sums.begin()), at += kLanes), ...);
    }

    template <class X, class Y>
    LaneScalars dot(const device::Buffer<X>& x, const device::Buffer<Y>& y) {
        LaneScalars value = lanes::dot(x.view(), y.view(), problem_.width, problem_.owned, queue_);
        sum_over_ranks(value);
        return value;
    }

    [[nodiscard]] bool going_on() const {
        if (params_.leading_lane >= 0) {
            return active_[params_.leading_lane];
        }
        return std::any_of(active_.begin(), active_.end(), [](bool a) { return a; });
    }

    void stop(int lane, LaneStatus status) {
        active_[lane] = false;
        result_[lane].status = status;
    }

    /// r = b - A x; lanes with b = 0 are answered by x = 0 at once.
    void start() {
        lanes::ResidualSums sums;
        if (problem_.residual_known) {
            sums.bb = lanes::dot(problem_.b, problem_.b, problem_.width, problem_.owned, queue_);
            sums.rr = lanes::dot(work_.r, work_.r, problem_.width, problem_.owned, queue_);
        } else {
            problem_.A.apply(problem_.x, work_.r, queue_);
            sums = lanes::residual(problem_.b, work_.r, problem_.width, problem_.owned, queue_);
        }
        sum_over_ranks(sums.bb, sums.rr);
        LaneScalars keep = lanes::kOnes;
        for (int lane = 0; lane < kLanes; ++lane) {
            active_[lane] = true;
            b_norm_[lane] = std::sqrt(sums.bb[lane]);
            r_norm_[lane] = std::sqrt(sums.rr[lane]);
            if (b_norm_[lane] == 0.0) {
                keep[lane] = 0.0;
                stop(lane, LaneStatus::ZeroRightHandSide);
            } else if (!std::isfinite(b_norm_[lane]) || !std::isfinite(r_norm_[lane])) {
                stop(lane, LaneStatus::NotFinite);
            } else {
                result_[lane].initial_residual = r_norm_[lane] / b_norm_[lane];
                note_residual(lane);
            }
        }
        if (keep != lanes::kOnes) {
            lanes::axpby(lanes::kZeros, problem_.b, keep, problem_.x, queue_);
            lanes::axpby(lanes::kZeros, problem_.b, keep, work_.r, queue_);
        }
    }

    void note_residual(int lane) {
        result_[lane].residual = r_norm_[lane] / b_norm_[lane];
        if (result_[lane].residual <= params_.tolerance) {
            stop(lane, LaneStatus::Converged);
        }
    }

    /// z^ = M^-1 r^.
    void precondition() {
        LaneScalars down{};
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                down[lane] = 1.0 / r_norm_[lane];
            }
        }
        lanes::scale_to_float(down, work_.r, work_.r_float, queue_);
        problem_.M.apply(work_.r_float, work_.z_float, queue_);
    }

    /// The lanes' numbers where `value` is a positive one; others stop.
    LaneScalars positive(const LaneScalars& value) {
        LaneScalars result{};
        for (int lane = 0; lane < kLanes; ++lane) {
            if (!active_[lane]) {
                continue;
            }
            if (!std::isfinite(value[lane])) {
                stop(lane, LaneStatus::NotFinite);
            } else if (value[lane] <= 0.0) {
                stop(lane, LaneStatus::Indefinite);
            } else {
                result[lane] = value[lane];
            }
        }
        return result;
    }

    /// numerator / denominator of the lanes that move, others 0.
    LaneScalars ratio(const LaneScalars& numerator, const LaneScalars& denominator) const {
        LaneScalars result{};
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                result[lane] = numerator[lane] / denominator[lane];
            }
        }
        return result;
    }

    /// beta = -(z, A p) / (p, A p) makes the new direction conjugate to the last, whatever
    /// rounding or the preconditioner did.
    LaneScalars conjugate() {
        LaneScalars beta = ratio(dot(work_.z_float, work_.Ap), pAp_);
        for (double& value : beta) {
            value = -value;
        }
        return beta;
    }

    /// x += alpha p, r -= alpha A p.
    void update(const LaneScalars& alpha) {
        LaneScalars step{};
        for (int lane = 0; lane < kLanes; ++lane) {
            step[lane] = alpha[lane] * r_norm_[lane];
        }
        LaneScalars rr = lanes::update({step, work_.p, work_.Ap, problem_.x, work_.r},
                                       problem_.width, problem_.owned, queue_);
        sum_over_ranks(rr);
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                r_norm_[lane] = std::sqrt(rr[lane]);
            }
        }
    }

    void note_iteration() {
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                ++result_[lane].iterations;
                result_[lane].history.push_back(r_norm_[lane] / b_norm_[lane]);
                if (std::isfinite(r_norm_[lane])) {
                    note_residual(lane);
                } else {
                    stop(lane, LaneStatus::NotFinite);
                }
            }
        }
    }

    void step(bool first) {
        precondition();
        LaneScalars rz = dot(work_.z_float, work_.r);
        for (int lane = 0; lane < kLanes; ++lane) {
            rz[lane] = active_[lane] ? rz[lane] / r_norm_[lane] : 0.0;
        }
        rz = positive(rz);
        if (first) {
            lanes::scale_to_double(lanes::kOnes, work_.z_float, work_.p, queue_);
        } else {
            LaneScalars beta{};
            if (params_.flexible) {
                beta = conjugate();
            } else {
                for (int lane = 0; lane < kLanes; ++lane) {
                    if (active_[lane]) {
                        beta[lane] = rz[lane] * r_norm_[lane] / (rz_old_[lane] * r_norm_old_[lane]);
                    }
                }
            }
            lanes::axpby(lanes::kOnes, work_.z_float, beta, work_.p, queue_);
        }
        problem_.A.apply(work_.p, work_.Ap, queue_);
        pAp_ = positive(dot(work_.p, work_.Ap));
        rz_old_ = rz;
        r_norm_old_ = r_norm_;
        update(ratio(rz, pAp_));
        note_iteration();
    }

    const PcgProblem& problem_;
    const PcgParams& params_;
    PcgWorkspace& work_;
    comm::Comm& comm_;
    device::Queue& queue_;
    std::array<LaneResult, kLanes> result_;
    std::array<bool, kLanes> active_{};
    LaneScalars b_norm_{};
    LaneScalars r_norm_{};
    LaneScalars r_norm_old_{};
    LaneScalars rz_old_{};
    LaneScalars pAp_{};
};

}  // namespace

const char* to_string(LaneStatus status) {
    switch (status) {
        case LaneStatus::Converged:
            return "converged";
        case LaneStatus::ZeroRightHandSide:
            return "zero right-hand side";
        case LaneStatus::MaxIterations:
            return "iteration limit reached";
        case LaneStatus::NotFinite:
            return "not a finite number";
        case LaneStatus::Indefinite:
            return "operator not positive definite";
    }
    return "unknown";
}

std::array<LaneResult, kLanes> pcg(const PcgProblem& problem, const PcgParams& params,
                                   PcgWorkspace& work, comm::Comm& comm, device::Queue& queue) {
    return Iteration(problem, params, work, comm, queue).run();
}

using lanes::kLanes;
using lanes::LaneScalars;

namespace {

/// a / b in the lanes that move, zero in the others.
LaneScalars divide(const LaneScalars& a, const LaneScalars& b, const std::array<bool, 4>& moves) {
    LaneScalars result{};
    for (int lane = 0; lane < kLanes; ++lane) {
        if (moves[lane] && b[lane] > 0.0) {
            result[lane] = a[lane] / b[lane];
        }
    }
    return result;
}

}  // namespace

InnerCg::InnerCg(Operator<float>& A, int block, device::View<const float> inverse_diagonal,
                 device::View<const std::uint8_t> owned, InnerCgParams params, device::Queue& queue)
    : A_(A),
      block_(block),
      inverse_diagonal_(inverse_diagonal),
      owned_(owned),
      params_(params),
      e_(inverse_diagonal.size() / block * kLanes, queue),
      z_(e_.size(), queue),
      p_(e_.size(), queue),
      q_(e_.size(), queue) {}

LaneScalars InnerCg::dot(device::View<const float> x, device::View<const float> y, comm::Comm& comm,
                         device::Queue& queue) const {
    LaneScalars value = lanes::dot(x, y, block_ * kLanes, owned_, queue);
    const device::InPhase waiting(queue, device::Phase::Waiting);
    comm.sum(std::span<double>(value));
    return value;
}

int InnerCg::solve(device::View<const float> r, device::View<float> x, comm::Comm& comm,
                   device::Queue& queue) {
    const LaneScalars rr = dot(r, r, comm, queue);
    std::array<bool, 4> moves{};
    LaneScalars keep{};
    for (int lane = 0; lane < kLanes; ++lane) {
        moves[lane] = std::isfinite(rr[lane]) && rr[lane] > 0.0;
        keep[lane] = moves[lane] ? 1.0 : 0.0;
    }
    lanes::axpby(lanes::kZeros, r, keep, x, queue);
    A_.apply(x, e_, queue);
    lanes::axpby(lanes::kOnes, r, lanes::kMinusOnes, e_, queue);

    LaneScalars ee = dot(e_, e_, comm, queue);
    LaneScalars rho_old{};
    lanes::fill<float>(0.0F, p_, queue);
    const auto worst = [&] {
        double largest = 0.0;
        for (int lane = 0; lane < kLanes; ++lane) {
            const bool decides = params_.leading_lane < 0 || lane == params_.leading_lane;
            if (moves[lane] && decides) {
                largest = std::max(largest, std::sqrt(ee[lane] / rr[lane]));
            }
        }
        return largest;
    };
    int iterations = 0;
    while (worst() > params_.tolerance && iterations < params_.max_iterations) {
        lanes::block_diagonal_apply(block_, 1.0F, inverse_diagonal_, e_, z_, queue);
        const LaneScalars rho = dot(z_, e_, comm, queue);
        lanes::axpby(lanes::kOnes, z_, divide(rho, rho_old, moves), p_, queue);
        A_.apply(p_, q_, queue);
        const LaneScalars alpha = divide(rho, dot(p_, q_, comm, queue), moves);
        LaneScalars minus_alpha{};
        std::transform(alpha.begin(), alpha.end(), minus_alpha.begin(), std::negate<>());
        lanes::axpby(minus_alpha, q_, lanes::kOnes, e_, queue);
        lanes::axpby(alpha, p_, lanes::kOnes, x, queue);
        ee = dot(e_, e_, comm, queue);
        rho_old = rho;
        ++iterations;
    }
    return iterations;
}

}  // namespace kaname::linalg
