// SPDX-License-Identifier: BSD-3-Clause
// Steps of RectifiedChain in what the data depend on beside slip: errors that all sets have in
// common, factors on the variances of each, parameters of a family of responses.
#include <algorithm>
#include <cmath>
#include <span>

#include "solvers/posterior/rectified_chain.hpp"

namespace kaname::posterior {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMoves = 2;       // in an iteration
constexpr double kShape = 1.0;  // of the inverse gamma prior of s^2, and its scale

}  // namespace

void RectifiedChain::gather_data() {
    const Index n = problem_.n() + problem_.n_shared;
    h_ = MatrixXd::Zero(n, n);
    b_ = VectorXd::Zero(n);
    for (std::size_t k = 0; k < sets().size(); ++k) {
        h_ += sets()[k].h / variance_[k];
        b_ += sets()[k].g / variance_[k];
    }
    if (problem_.n_shared > 0) {
        integrate_errors();
    }
}

void RectifiedChain::integrate_errors() {
    // H_mm - H_ma (H_aa + 1)^-1 H_am: for these s^2, so in every iteration.
    const Index n = problem_.n(), shared = problem_.n_shared;
    MatrixXd own = h_.bottomRightCorner(shared, shared);
    own.diagonal().array() += 1.0;
    errors_.compute(own);
    errors_by_amounts_ = h_.bottomLeftCorner(shared, n);
    errors_pull_ = b_.tail(shared);
    const MatrixXd mixed = errors_.matrixL().solve(errors_by_amounts_);
    const VectorXd pull = errors_.matrixL().solve(errors_pull_);
    MatrixXd h = h_.topLeftCorner(n, n);
    h.noalias() -= mixed.transpose() * mixed;
    VectorXd b = b_.head(n);
    b.noalias() -= mixed.transpose() * pull;
    h_.swap(h);
    b_.swap(b);
}

VectorXd RectifiedChain::draw_errors() {
    VectorXd drawn(problem_.n_shared);
    for (double& value : drawn) {
        value = random_.normal();
    }
    errors_.matrixU().solveInPlace(drawn);
    const VectorXd pull = errors_pull_ - errors_by_amounts_ * m_;
    return drawn + errors_.solve(pull);
}

void RectifiedChain::draw_variances() {
    // Given the common errors each set's misfit has the errors of its own data alone, s^2 C.
    VectorXd x = m_;
    if (problem_.n_shared > 0) {
        x.conservativeResize(problem_.n() + problem_.n_shared);
        x.tail(problem_.n_shared) = draw_errors();
    }
    for (std::size_t k = 0; k < sets().size(); ++k) {
        const DataSet& set = sets()[k];
        const double misfit = std::max(
            0.0, set.c - 2.0 * set.g.dot(x) + x.dot(set.h.selfadjointView<Eigen::Lower>() * x));
        variance_[k] =
            (0.5 * misfit + kShape) / random_.gamma(0.5 * std::max(0.0, set.freedom) + kShape);
    }
}

void RectifiedChain::move_parameters(bool learning) {
    const Index n = x_.size();
    const Pieces here = pieces(h_, b_);
    Eigen::LLT<MatrixXd> factor(here.q);
    VectorXd c = factor.solve(here.pull);
    const auto log_root = [](const Eigen::LLT<MatrixXd>& of) {
        return of.matrixLLT().diagonal().array().log().sum();
    };
    // The part of U that x changes, but for the prior's, which is added where z changes too.
    const auto potential = [&](const VectorXd& z, const VectorXd& m, const MatrixXd& h,
                               const VectorXd& b) {
        double sum = m.dot(0.5 * (h * m) - b);
        for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
            const auto of = z.segment(problem_.fields[f].first, problem_.fields[f].n);
            sum += 0.5 * lambda_[f] * of.dot(fields_.choices[f][choice_[f]].precision * of);
        }
        return sum;
    };
    double u = potential(z_, m_, h_, b_);
    std::vector<DataSet> sets;
    for (int move = 0; move < kMoves; ++move) {
        VectorXd drawn(n);
        for (double& value : drawn) {
            value = random_.normal();
        }
        const VectorXd step = spread_.llt().matrixL() * drawn;
        const VectorXd x = x_ + std::exp(log_factor_) * kStep * step;
        const double level = std::log(random_.uniform());
        double log_ratio = -kInfinity;
        if (x.cwiseAbs().maxCoeff() <= 1.0) {
            problem_.family->at(std::span<const double>(x.data(), x.size()), sets);
            MatrixXd h = MatrixXd::Zero(problem_.n(), problem_.n());
            VectorXd b = VectorXd::Zero(problem_.n());
            for (std::size_t k = 0; k < sets.size(); ++k) {
                h += sets[k].h / variance_[k];
                b += sets[k].g / variance_[k];
            }
            const Pieces there = pieces(h, b);
            const Eigen::LLT<MatrixXd> other(there.q);
            const VectorXd centre = other.solve(there.pull);
            VectorXd z = factor.matrixU() * (z_ - c);
            other.matrixU().solveInPlace(z);
            z += centre;
            if ((z.array() > there.low.array()).all() && (z.array() < there.high.array()).all()) {
                const VectorXd m = z.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
                const double next = potential(z, m, h, b);
                log_ratio = u - next + log_root(factor) - log_root(other);
                if (level < log_ratio) {
                    x_ = x;
                    z_ = z;
                    m_ = m;
                    h_ = h;
                    b_ = b;
                    c = centre;
                    u = next;
                    factor = other;
                    sets_.swap(sets);
                    taken_ += learning ? 0.0 : 1.0;
                }
            }
        }
        if (learning) {
            learn(std::exp(std::min(0.0, log_ratio)));
        } else {
            tried_ += 1.0;
        }
    }
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
        const auto of = z_.segment(problem_.fields[f].first, problem_.fields[f].n);
        quadratic_[f] = of.dot(fields_.choices[f][choice_[f]].precision * of);
    }
}

void RectifiedChain::learn(double probability) {
    learnt_ += 1.0;
    log_factor_ += (probability - kAcceptance) / std::pow(learnt_, 0.6);
    // The last hundred of moves, or a third of all, weigh: a start far off is forgotten.
    const double share = std::max(3.0 / (learnt_ + 100.0), 1e-3);
    const VectorXd apart = x_ - mean_;
    mean_ += share * apart;
    spread_ += share * ((1.0 - share) * apart * apart.transpose() - spread_);
    spread_.diagonal().array() += share * 1e-10;
}

}  // namespace kaname::posterior
