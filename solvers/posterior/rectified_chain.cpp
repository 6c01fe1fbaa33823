// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/rectified_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <numbers>
#include <span>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::posterior {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Time until f(t) = x cos t + w sin t - wall falls to 0, infinite if not within [0, span], span
/// <= pi/2; f(0) >= 0 up to rounding. At 0, and falling: at once. cosine, sine: of span.
double time_to_wall(double x, double w, double wall, double span, double cosine, double sine) {
    const double end = x * cosine + w * sine - wall;
    if (end > 0.0) {
        // It may have dipped below the wall and have come back: only from a fall to a rise.
        const bool dips =
            w < 0.0 && w * cosine > x * sine && wall > -kInfinity && x * x + w * w > wall * wall;
        if (!dips) {
            return kInfinity;
        }
    }
    // f = r cos(t - phi) - wall, and 0 lies between phi - alpha and phi + alpha, where f is 0.
    const double r = std::hypot(x, w);
    if (!(r > std::abs(wall))) {
        return kInfinity;
    }
    const double t = std::max(0.0, std::atan2(w, x) + std::acos(wall / r));
    return t <= span ? t : kInfinity;
}

struct Hit {
    double time = kInfinity;
    Index amount = -1;
    bool lower = true;
};

/// The first wall that z = c + x cos t + w sin t meets within `span`.
Hit first_hit(const VectorXd& c, const VectorXd& x, const VectorXd& w, const VectorXd& low,
              const VectorXd& high, double span) {
    const double cosine = std::cos(span), sine = std::sin(span);
    Hit first;
    for (Index j = 0; j < c.size(); ++j) {
        if (low[j] > -kInfinity) {
            const double t = time_to_wall(x[j], w[j], low[j] - c[j], span, cosine, sine);
            if (t < first.time) {
                first = {t, j, true};
            }
        }
        if (high[j] < kInfinity) {
            const double t = time_to_wall(-x[j], -w[j], c[j] - high[j], span, cosine, sine);
            if (t < first.time) {
                first = {t, j, false};
            }
        }
    }
    return first;
}

}  // namespace

int follow_trajectory(MatrixXd& q, const VectorXd& pull, const VectorXd& low, const VectorXd& high,
                      RandomStream& random, VectorXd& z) {
    const Index n = z.size();
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(q);
    if (factor.info() != Eigen::Success) {
        throw Error(ErrorCode::NotConverged,
                    "the posterior's precision is not positive definite within rounding");
    }
    const VectorXd c = factor.solve(pull);
    VectorXd x = z - c, w(n);
    for (double& value : w) {
        value = random.normal();
    }
    factor.matrixU().solveInPlace(w);
    // Columns of Q^-1 of amounts that were reflected: most are so again.
    std::map<Index, VectorXd> columns;
    double left = 0.5 * std::numbers::pi;
    int reflections = 0;
    for (Hit hit = first_hit(c, x, w, low, high, left); hit.amount >= 0;
         hit = first_hit(c, x, w, low, high, left)) {
        if (++reflections > kMostReflections * n) {
            return reflections;
        }
        const double cosine = std::cos(hit.time), sine = std::sin(hit.time);
        const VectorXd before = x;
        x = cosine * x + sine * w;
        w = cosine * w - sine * before;
        left -= hit.time;
        const Index j = hit.amount;
        x[j] = (hit.lower ? low[j] : high[j]) - c[j];
        auto [at, fresh] = columns.try_emplace(j);
        if (fresh) {
            at->second = VectorXd::Unit(n, j);
            factor.solveInPlace(at->second);
        }
        const VectorXd& e = at->second;
        w -= (2.0 * w[j] / e[j]) * e;
    }
    const double cosine = std::cos(left), sine = std::sin(left);
    z = (c + cosine * x + sine * w).cwiseMax(low).cwiseMin(high);
    return reflections;
}

namespace {

constexpr int kSweeps = 4;
constexpr int kRounds = 4;  // of lambda and scales, which cost next to nothing
constexpr double kFirstPlace = 0.5, kFirstSpread = 0.2;  // of the parameters, in [-1, 1]

/// One draw of a density exp(f(u)) on [low, high] that leaves it as it is: slice sampling by
/// stepping out and shrinkage (Neal 2003, doi:10.1214/aos/1056562461).
template <class Density>
double slice_step(RandomStream& random, double u, double width, double low, double high,
                  const Density& f) {
    const double level = f(u) + std::log(random.uniform());
    double left = u - width * random.uniform(), right = left + width;
    while (left > low && f(left) > level) {
        left -= width;
    }
    while (right < high && f(right) > level) {
        right += width;
    }
    left = std::max(left, low);
    right = std::min(right, high);
    for (;;) {
        const double next = left + (right - left) * random.uniform();
        if (f(next) > level) {
            return next;
        }
        (next < u ? left : right) = next;
    }
}

/// log(exp(a) + exp(b) + exp(c)) shares: which of three log weights a uniform number falls to.
int pick(double a, double b, double c, double uniform) {
    const double top = std::max({a, b, c});
    const double wa = std::exp(a - top), wb = std::exp(b - top), wc = std::exp(c - top);
    const double at = uniform * (wa + wb + wc);
    return at < wa ? 0 : at < wa + wb ? 1 : 2;
}

}  // namespace

RectifiedChain::RectifiedChain(const RectifiedProblem& problem, const PreparedFields& fields,
                               std::uint64_t seed, Start start)
    : problem_(problem),
      fields_(fields),
      random_(seed),
      z_(problem.n()),
      m_(problem.n()),
      variance_(problem.sets.size(), 1.0) {
    for (std::size_t f = 0; f < problem.fields.size(); ++f) {
        const FieldPrior& field = problem.fields[f];
        const bool rest = start == Start::Rest;
        choice_.push_back(rest ? 0 : field.covariance.size() - 1);
        // A tenth and nine tenths of the range of log sigma.
        const double part = rest ? 0.1 : 0.9;
        const double sigma =
            field.least_sigma * std::pow(field.most_sigma / field.least_sigma, part);
        lambda_.push_back(1.0 / (sigma * sigma));
        VectorXd drawn(field.n);
        for (double& value : drawn) {
            value = sigma * random_.normal();
        }
        const Eigen::LLT<MatrixXd> factor(field.covariance[choice_[f]]);
        z_.segment(field.first, field.n) = factor.matrixL() * drawn;
        if (rest) {
            z_.segment(field.first, field.n) = -z_.segment(field.first, field.n).cwiseAbs();
        }
        quadratic_.push_back(0.0);
    }
    if (problem.family) {
        const auto n = static_cast<Index>(problem.family->n_parameters());
        x_ = VectorXd::Constant(n, start == Start::Rest ? -kFirstPlace : kFirstPlace);
        mean_ = x_;
        spread_ = kFirstSpread * kFirstSpread * MatrixXd::Identity(n, n);
        problem.family->at(std::span<const double>(x_.data(), x_.size()), sets_);
    }
    clip();
}

double RectifiedChain::clipped(Index j, double z) const {
    return std::min(std::max(z, problem_.lower[j]), problem_.upper[j]);
}

void RectifiedChain::clip() {
    m_ = z_.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
}

void RectifiedChain::step(Phase phase) {
    gather_data();
    draw_trajectory();
    clip();
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
        const FieldPrior& field = problem_.fields[f];
        prior_pull_.resize(problem_.n());
        prior_pull_.segment(field.first, field.n).noalias() =
            fields_.choices[f][choice_[f]].precision * z_.segment(field.first, field.n);
    }
    data_pull_ = b_;
    data_pull_.noalias() -= h_ * m_;
    for (int sweep_number = 0; sweep_number < kSweeps; ++sweep_number) {
        sweep();
    }
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
        draw_choice(f);
        draw_scales(f);
    }
    clip();
    if (problem_.family) {
        move_parameters(phase != Phase::Sampling);
    }
    if (phase != Phase::Settling && !problem_.known_errors) {
        draw_variances();
    }
}

RectifiedChain::Pieces RectifiedChain::pieces(const MatrixXd& h, const VectorXd& b) const {
    // Q = lambda P + D H D, pull = D (b - H m_fixed), D = 1 where the amount is not at a bound.
    const Index n = problem_.n();
    Pieces made{MatrixXd::Zero(n, n), VectorXd::Zero(n), VectorXd(n), VectorXd(n)};
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
        const FieldPrior& field = problem_.fields[f];
        made.q.block(field.first, field.first, field.n, field.n) =
            lambda_[f] * fields_.choices[f][choice_[f]].precision;
    }
    std::vector<Index> free;
    VectorXd fixed = m_;
    for (Index j = 0; j < n; ++j) {
        const bool below = z_[j] <= problem_.lower[j], above = z_[j] >= problem_.upper[j];
        made.low[j] = below ? -kInfinity : above ? problem_.upper[j] : problem_.lower[j];
        made.high[j] = below ? problem_.lower[j] : above ? kInfinity : problem_.upper[j];
        if (!below && !above) {
            free.push_back(j);
            fixed[j] = 0.0;
        }
    }
    const bool shifted = (fixed.array() != 0.0).any();
    const VectorXd rest = shifted ? VectorXd(b - h * fixed) : b;
    for (const Index j : free) {
        made.pull[j] = rest[j];
        for (const Index i : free) {
            made.q(i, j) += h(i, j);
        }
    }
    return made;
}

void RectifiedChain::draw_trajectory() {
    Pieces now = pieces(h_, b_);
    follow_trajectory(now.q, now.pull, now.low, now.high, random_, z_);
}

void RectifiedChain::sweep() {
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
        const FieldPrior& field = problem_.fields[f];
        const MatrixXd& precision = fields_.choices[f][choice_[f]].precision;
        auto pull = prior_pull_.segment(field.first, field.n);
        for (Index i = 0; i < field.n; ++i) {
            const Index j = field.first + i;
            const double low = problem_.lower[j], high = problem_.upper[j], hjj = h_(j, j);
            // The prior of z_j, the others known: N(u, 1/p); with the data between the bounds
            // N(v, 1/q).
            const double p = lambda_[f] * precision(i, i);
            const double u = z_[j] - pull[i] / precision(i, i);
            const double slope = data_pull_[j] + hjj * m_[j];
            const double q = p + hjj, v = (p * u + slope) / q;
            const double root_p = std::sqrt(p), root_q = std::sqrt(q);
            const double below = low == -kInfinity ? -kInfinity
                                                   : low * (slope - 0.5 * hjj * low) +
                                                         log_normal_cdf((low - u) * root_p);
            const double above = high == kInfinity ? -kInfinity
                                                   : high * (slope - 0.5 * hjj * high) +
                                                         log_normal_cdf((u - high) * root_p);
            const double between = 0.5 * (q * v * v - p * u * u) + 0.5 * std::log(p / q) +
                                   log_normal_mass((low - v) * root_q, (high - v) * root_q);
            double next = 0.0;
            switch (pick(below, between, above, random_.uniform())) {
                case 0:
                    next = u + random_.normal_within(-kInfinity, (low - u) * root_p) / root_p;
                    break;
                case 1:
                    next =
                        v + random_.normal_within((low - v) * root_q, (high - v) * root_q) / root_q;
                    break;
                default:
                    next = u + random_.normal_within((high - u) * root_p, kInfinity) / root_p;
            }
            pull += (next - z_[j]) * precision.col(i);
            z_[j] = next;
            const double amount = clipped(j, next);
            if (amount != m_[j]) {
                data_pull_ -= (amount - m_[j]) * h_.col(j);
                m_[j] = amount;
            }
        }
    }
}

void RectifiedChain::draw_choice(std::size_t f) {
    const FieldPrior& field = problem_.fields[f];
    const double least = 1.0 / (field.most_sigma * field.most_sigma);
    const double most = 1.0 / (field.least_sigma * field.least_sigma);
    const auto z = z_.segment(field.first, field.n);
    const std::vector<PreparedFields::Choice>& choices = fields_.choices[f];
    std::vector<double> quadratic, weight;
    for (const PreparedFields::Choice& choice : choices) {
        quadratic.push_back(z.dot(choice.precision.selfadjointView<Eigen::Lower>() * z));
        // Where lambda is not known it is integrated out, and drawn for the new h right after: the
        // field's finest structure tells lambda and the length together, not one by one.
        const double of_field = least < most ? log_gamma_mass(0.5 * static_cast<double>(field.n),
                                                              0.5 * quadratic.back(), least, most)
                                             : -0.5 * lambda_[f] * quadratic.back();
        weight.push_back(0.5 * choice.log_det + of_field);
    }
    if (choices.size() > 1) {
        const double top = *std::ranges::max_element(weight);
        double sum = 0.0;
        for (double& w : weight) {
            w = sum += std::exp(w - top);
        }
        const double at = sum * random_.uniform();
        choice_[f] = std::min(
            choices.size() - 1,
            static_cast<std::size_t>(std::ranges::lower_bound(weight, at) - weight.begin()));
    }
    quadratic_[f] = quadratic[choice_[f]];
}

void RectifiedChain::draw_scales(std::size_t f) {
    const FieldPrior& field = problem_.fields[f];
    auto z = z_.segment(field.first, field.n);
    const auto n = static_cast<double>(field.n);
    const double least = 1.0 / (field.most_sigma * field.most_sigma);
    const double most = 1.0 / (field.least_sigma * field.least_sigma);
    if (!(least < most)) {
        return;
    }
    bool conic = true;  // m(a z) = a m(z) for a > 0
    VectorXd moving = VectorXd::Zero(field.n), resting = moving;
    for (Index i = 0; i < field.n; ++i) {
        const Index j = field.first + i;
        conic = conic && (problem_.lower[j] == 0.0 || problem_.lower[j] == -kInfinity) &&
                (problem_.upper[j] == 0.0 || problem_.upper[j] == kInfinity);
        (m_[j] != 0.0 ? moving : resting)[i] = z[i];
    }
    if (!conic) {
        lambda_[f] = random_.gamma_within(0.5 * n, 0.5 * quadratic_[f], least, most);
        return;
    }
    // All that is needed are six numbers: z'P z of both parts and between them, and the misfit as
    // a function of the scale a of the moving part, curve a^2 / 2 - line a.
    const MatrixXd& precision = fields_.choices[f][choice_[f]].precision;
    const VectorXd of_resting = precision.selfadjointView<Eigen::Lower>() * resting;
    double rr = resting.dot(of_resting), mr = moving.dot(of_resting);
    double mm = std::max(0.0, quadratic_[f] - rr - 2.0 * mr);
    VectorXd amounts = VectorXd::Zero(problem_.n());
    amounts.segment(field.first, field.n) = moving;
    const VectorXd curved = h_ * amounts;
    double curve = amounts.dot(curved), line = amounts.dot(data_pull_) + curve;
    const double n_resting = static_cast<double>((resting.array() != 0.0).count());
    double moved = 1.0, rested = 1.0;
    const double low = std::log(least), high = std::log(most);
    for (int round = 0; round < kRounds; ++round) {
        lambda_[f] = random_.gamma_within(0.5 * n, 0.5 * (mm + 2.0 * mr + rr), least, most);
        // lambda and the resting part together, z sqrt(lambda) of it kept: a = (l / l')^(1/2).
        const double of_lambda = std::log(lambda_[f]);
        const auto of_resting_part = [&](double u) {
            const double ratio = std::exp(u - of_lambda), a = 1.0 / std::sqrt(ratio);
            return 0.5 * (n - n_resting) * u -
                   0.5 * lambda_[f] * ratio * (mm + 2.0 * a * mr + a * a * rr);
        };
        double u = slice_step(random_, of_lambda, 0.5, low, high, of_resting_part);
        double a = std::exp(0.5 * (of_lambda - u));
        lambda_[f] = std::exp(u);
        mr *= a;
        rr *= a * a;
        rested *= a;
        // lambda and the whole field together: the prior does not see it, the data do.
        const double now = std::log(lambda_[f]);
        const auto of_all = [&](double v) {
            const double scale = std::exp(0.5 * (now - v));
            return scale * (line - 0.5 * curve * scale);
        };
        u = slice_step(random_, now, 0.5, low, high, of_all);
        a = std::exp(0.5 * (now - u));
        lambda_[f] = std::exp(u);
        mm *= a * a;
        mr *= a * a;
        rr *= a * a;
        curve *= a * a;
        line *= a;
        moved *= a;
        rested *= a;
    }
    z = moved * moving + rested * resting;
    m_.segment(field.first, field.n) = moved * moving;
    data_pull_ -= (moved - 1.0) * curved;
    quadratic_[f] = mm + 2.0 * mr + rr;
}

std::string RectifiedChain::state() const {
    std::ostringstream text;
    text << std::hexfloat;
    const auto write = [&](const auto& values) {
        for (const auto value : values) {
            text << static_cast<double>(value) << ' ';
        }
    };
    write(z_);
    write(lambda_);
    write(variance_);
    write(quadratic_);
    write(choice_);
    write(x_);
    write(mean_);
    write(spread_.reshaped());
    write(std::array{log_factor_, learnt_, tried_, taken_});
    return text.str() + random_.state();
}

void RectifiedChain::restore(const std::string& state) {
    std::istringstream text(state);
    const auto read = [&](auto& values) {
        for (auto& value : values) {
            std::string word;  // istream reads no hexadecimal floating point
            if (!(text >> word)) {
                throw Error(ErrorCode::InvalidArgument, "the state of a chain is damaged");
            }
            value = static_cast<std::remove_reference_t<decltype(value)>>(
                std::strtod(word.c_str(), nullptr));
        }
    };
    read(z_);
    read(lambda_);
    read(variance_);
    read(quadratic_);
    read(choice_);
    std::array<double, 4> steps{};
    VectorXd spread = spread_.reshaped();
    read(x_);
    read(mean_);
    read(spread);
    read(steps);
    spread_ = spread.reshaped(spread_.rows(), spread_.cols());
    log_factor_ = steps[0];
    learnt_ = steps[1];
    tried_ = steps[2];
    taken_ = steps[3];
    if (problem_.family) {
        problem_.family->at(std::span<const double>(x_.data(), x_.size()), sets_);
    }
    for (std::size_t f = 0; f < choice_.size(); ++f) {
        if (choice_[f] >= fields_.choices[f].size()) {
            throw Error(ErrorCode::InvalidArgument, "the state of a chain is of another problem");
        }
    }
    std::string rest;
    std::getline(text >> std::ws, rest, '\0');
    random_.restore(rest);
    clip();
}

}  // namespace kaname::posterior
