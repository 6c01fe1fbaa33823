// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/pcg.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/device/phases.hpp"

namespace kaname::linalg {
namespace {

using lanes::kLanes;
using lanes::LaneScalars;

constexpr LaneScalars kOnes = lanes::all_lanes(1.0);
constexpr LaneScalars kMinusOnes = lanes::all_lanes(-1.0);
constexpr LaneScalars kZeros = {};

/// State of the iteration: scalars per lane and which lanes still move.
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
    LaneScalars dot(device::View<const double> x, device::View<const double> y) {
        LaneScalars value = lanes::dot(x, y, problem_.width, problem_.owned, queue_);
        const device::InPhase waiting(queue_, device::Phase::Waiting);
        comm_.sum(std::span<double>(value));
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
        const LaneScalars bb = dot(problem_.b, problem_.b);
        LaneScalars keep = kOnes;
        for (int lane = 0; lane < kLanes; ++lane) {
            b_norm_[lane] = std::sqrt(bb[lane]);
            keep[lane] = b_norm_[lane] == 0.0 ? 0.0 : 1.0;
        }
        lanes::axpby(kZeros, problem_.b, keep, problem_.x, queue_);
        if (!problem_.residual_known) {
            problem_.A.apply(problem_.x, work_.r, queue_);
            lanes::axpby(kOnes, problem_.b, kMinusOnes, work_.r, queue_);
        }
        const LaneScalars rr = dot(work_.r, work_.r);
        for (int lane = 0; lane < kLanes; ++lane) {
            active_[lane] = true;
            r_norm_[lane] = std::sqrt(rr[lane]);
            if (b_norm_[lane] == 0.0) {
                stop(lane, LaneStatus::ZeroRightHandSide);
            } else if (!std::isfinite(b_norm_[lane]) || !std::isfinite(r_norm_[lane])) {
                stop(lane, LaneStatus::NotFinite);
            } else {
                result_[lane].initial_residual = r_norm_[lane] / b_norm_[lane];
                note_residual(lane);
            }
        }
    }

    void note_residual(int lane) {
        result_[lane].residual = r_norm_[lane] / b_norm_[lane];
        if (result_[lane].residual <= params_.tolerance) {
            stop(lane, LaneStatus::Converged);
        }
    }

    /// z = M^-1 r, through FP32 vectors of norm one.
    void precondition() {
        LaneScalars down{};
        LaneScalars up{};
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                down[lane] = 1.0 / r_norm_[lane];
                up[lane] = r_norm_[lane];
            }
        }
        lanes::scale_to_float(down, work_.r, work_.r_float, queue_);
        problem_.M.apply(work_.r_float, work_.z_float, queue_);
        lanes::scale_to_double(up, work_.z_float, work_.z, queue_);
    }

    void step(bool first) {
        precondition();
        const LaneScalars rz = dot(work_.r, work_.z);
        const bool orthogonalise = params_.flexible && !first;
        const LaneScalars zAp = orthogonalise ? dot(work_.z, work_.Ap) : LaneScalars{};
        LaneScalars beta{};
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                if (!std::isfinite(rz[lane])) {
                    stop(lane, LaneStatus::NotFinite);
                } else if (rz[lane] <= 0.0) {
                    stop(lane, LaneStatus::Indefinite);
                } else if (orthogonalise) {
                    beta[lane] = -zAp[lane] / pAp_[lane];
                } else if (!first) {
                    beta[lane] = rz[lane] / rz_old_[lane];
                }
            }
        }
        lanes::axpby(kOnes, work_.z, beta, work_.p, queue_);
        problem_.A.apply(work_.p, work_.Ap, queue_);
        const LaneScalars pAp = dot(work_.p, work_.Ap);
        LaneScalars alpha{};
        LaneScalars minus_alpha{};
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                if (!std::isfinite(pAp[lane])) {
                    stop(lane, LaneStatus::NotFinite);
                } else if (pAp[lane] <= 0.0) {
                    stop(lane, LaneStatus::Indefinite);
                } else {
                    alpha[lane] = rz[lane] / pAp[lane];
                    minus_alpha[lane] = -alpha[lane];
                }
            }
        }
        lanes::axpby(alpha, work_.p, kOnes, problem_.x, queue_);
        lanes::axpby(minus_alpha, work_.Ap, kOnes, work_.r, queue_);
        const LaneScalars rr = dot(work_.r, work_.r);
        for (int lane = 0; lane < kLanes; ++lane) {
            if (active_[lane]) {
                r_norm_[lane] = std::sqrt(rr[lane]);
                ++result_[lane].iterations;
                result_[lane].history.push_back(r_norm_[lane] / b_norm_[lane]);
                if (std::isfinite(r_norm_[lane])) {
                    note_residual(lane);
                } else {
                    stop(lane, LaneStatus::NotFinite);
                }
            }
        }
        rz_old_ = rz;
        pAp_ = pAp;
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
    // A frozen lane of an earlier solve may have left a NaN, and 0 x NaN is NaN.
    lanes::fill<double>(0.0, work.p, queue);
    return Iteration(problem, params, work, comm, queue).run();
}

}  // namespace kaname::linalg
