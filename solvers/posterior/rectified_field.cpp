// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/rectified_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::posterior {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

[[noreturn]] void refuse_problem(const std::string& what) {
    throw Error(ErrorCode::InvalidArgument, "posterior: " + what);
}

void check_shapes(const RectifiedProblem& problem) {
    const Index n = problem.n();
    if (n == 0 || problem.upper.size() != n ||
        !(problem.lower.array() < problem.upper.array()).all()) {
        refuse_problem("each amount must have a lower bound below its upper one");
    }
    for (std::size_t k = 0; k < problem.sets.size(); ++k) {
        const DataSet& set = problem.sets[k];
        const Index all = n + problem.n_shared;
        if (set.h.rows() != all || set.h.cols() != all || set.g.size() != all) {
            refuse_problem("normal equations of set " + std::to_string(k) + " must have " +
                           std::to_string(all) + " amounts, got " + std::to_string(set.g.size()));
        }
    }
    if (problem.family && (problem.family->sets().size() != problem.sets.size() ||
                           problem.family->n_parameters() == 0 || problem.n_shared > 0)) {
        refuse_problem("responses to parameters must be of all sets, without shared errors");
    }
    Index next = 0;
    for (const FieldPrior& field : problem.fields) {
        if (field.first != next || field.n < 1 || field.covariance.empty()) {
            refuse_problem("fields must follow one another and have covariances");
        }
        if (!(field.least_sigma > 0.0 && field.least_sigma <= field.most_sigma)) {
            refuse_problem("sigma must have a range above 0, got " +
                           std::to_string(field.least_sigma) + " to " +
                           std::to_string(field.most_sigma));
        }
        next += field.n;
    }
    if (next != n) {
        refuse_problem("fields must have all amounts, " + std::to_string(n) + ", got " +
                       std::to_string(next));
    }
}

}  // namespace

DataSet marginalised(const inversion::NormalEquations& equations, Index n_amounts, Index n_shared) {
    const MatrixXd h = equations.symmetric();
    std::vector<Index> used, kept;
    for (Index i = 0; i < h.rows(); ++i) {
        if (i < n_amounts || i >= h.rows() - n_shared) {
            kept.push_back(i);
        } else if (h(i, i) > 0.0) {
            used.push_back(i);
        }
    }
    DataSet set{h(kept, kept), equations.g(kept), equations.c,
                static_cast<double>(equations.n_data) - static_cast<double>(used.size())};
    if (used.empty()) {
        return set;
    }
    // H - H_mb H_bb^-1 H_bm, of rows and columns scaled to a diagonal of one.
    const auto n_used = static_cast<Index>(used.size());
    MatrixXd of_nuisance = h(used, used);
    const VectorXd scale = of_nuisance.diagonal().cwiseSqrt().cwiseInverse();
    of_nuisance = scale.asDiagonal() * of_nuisance * scale.asDiagonal();
    const MatrixXd mixed = scale.asDiagonal() * h(used, kept);
    const VectorXd values = scale.cwiseProduct(equations.g(used));
    const Eigen::LLT<MatrixXd> factor(of_nuisance);
    constexpr double kTold = 1e-10;  // of a scaled unknown, once those before it are known
    if (factor.info() != Eigen::Success ||
        (factor.matrixLLT().diagonal().head(n_used).cwiseAbs2().array() < kTold).any()) {
        refuse_problem("unknowns of the measuring cannot be told apart by the data");
    }
    const MatrixXd half = factor.matrixL().solve(mixed);
    const VectorXd half_values = factor.matrixL().solve(values);
    set.h.noalias() -= half.transpose() * half;
    set.g.noalias() -= half.transpose() * half_values;
    set.c = std::max(0.0, set.c - half_values.squaredNorm());
    return set;
}

PreparedFields::PreparedFields(const RectifiedProblem& problem) {
    check_shapes(problem);
    for (const FieldPrior& field : problem.fields) {
        std::vector<Choice>& made = choices.emplace_back(field.covariance.size());
        parallel_for(
            static_cast<std::int64_t>(made.size()),
            [&](std::int64_t h) {
                const MatrixXd& covariance = field.covariance[static_cast<std::size_t>(h)];
                if (covariance.rows() != field.n || covariance.cols() != field.n) {
                    refuse_problem("covariance " + std::to_string(h) + " must have " +
                                   std::to_string(field.n) + " amounts");
                }
                const Eigen::LLT<MatrixXd> factor(covariance);
                if (factor.info() != Eigen::Success) {
                    refuse_problem("covariance " + std::to_string(h) +
                                   " of the field must be positive definite; are two patches at "
                                   "one place?");
                }
                Choice& choice = made[static_cast<std::size_t>(h)];
                choice.precision = factor.solve(MatrixXd::Identity(field.n, field.n));
                choice.precision = (0.5 * (choice.precision + choice.precision.transpose())).eval();
                choice.log_det = -2.0 * factor.matrixLLT().diagonal().array().log().sum();
            },
            1);
    }
}

namespace {

constexpr int kLengths = 6;
constexpr double kExponential = 0.5, kSmooth = 1.5;  // roughness

/// Mean distance of a patch to its nearest one [m].
double patch_size(std::span<const Vec3> centres) {
    double sum = 0.0;
    for (std::size_t p = 0; p < centres.size(); ++p) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t q = 0; q < centres.size(); ++q) {
            nearest = q == p ? nearest : std::min(nearest, norm(centres[q] - centres[p]));
        }
        sum += nearest;
    }
    return sum / static_cast<double>(centres.size());
}

}  // namespace

std::vector<Correlation> correlation_choices(std::span<const Vec3> centres, const Vec3& strike) {
    if (centres.size() < 2) {
        return {{kExponential, 1.0}};
    }
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Vec3& centre : centres) {
        const double along = dot(centre, strike);
        least = std::min(least, along);
        most = std::max(most, along);
    }
    const double size = patch_size(centres);
    const double shortest = 0.5 * size;
    const double longest = std::max(0.5 * (most - least + size), size);
    std::vector<Correlation> choices;
    for (const double roughness : {kExponential, kSmooth}) {
        for (int k = 0; k < kLengths; ++k) {
            choices.push_back(
                {roughness,
                 shortest * std::pow(longest / shortest, k / static_cast<double>(kLengths - 1))});
        }
    }
    return choices;
}

Eigen::MatrixXd matern(std::span<const Vec3> centres, const Vec3& strike,
                       const Correlation& correlation) {
    const auto n = static_cast<Eigen::Index>(centres.size());
    Eigen::MatrixXd k(n, n);
    for (Eigen::Index p = 0; p < n; ++p) {
        for (Eigen::Index q = 0; q <= p; ++q) {
            const Vec3 apart =
                centres[static_cast<std::size_t>(p)] - centres[static_cast<std::size_t>(q)];
            const double along = dot(apart, strike);
            const double across2 = std::max(0.0, dot(apart, apart) - along * along);
            const double r =
                std::sqrt(along * along + across2 / (kDownDip * kDownDip)) / correlation.length_m;
            if (correlation.roughness == kExponential) {
                k(p, q) = std::exp(-r);
            } else if (correlation.roughness == kSmooth) {
                const double scaled = std::sqrt(3.0) * r;
                k(p, q) = (1.0 + scaled) * std::exp(-scaled);
            } else {
                throw Error(ErrorCode::Internal, "roughness must be 0.5 or 1.5, got " +
                                                     std::to_string(correlation.roughness));
            }
            k(q, p) = k(p, q);
        }
    }
    return k;
}

Vec3 mean_strike(std::span<const double> strikes_deg) {
    double c = 0.0, s = 0.0;
    for (const double strike_deg : strikes_deg) {
        c += std::cos(2.0 * strike_deg * kDegree);
        s += std::sin(2.0 * strike_deg * kDegree);
    }
    const double mean = 0.5 * std::atan2(s, c);
    return {std::sin(mean), std::cos(mean), 0.0};
}

namespace {

/// log of P(a, x), the part of the gamma distribution below x; by its series, for x < a + 1.
double log_part_below(double a, double x) {
    double term = 1.0 / a, sum = term;
    for (double k = a + 1.0; term > 1e-16 * sum; k += 1.0) {
        term *= x / k;
        sum += term;
    }
    return a * std::log(x) - x - std::lgamma(a) + std::log(sum);
}

/// log of Q(a, x) = 1 - P(a, x), for x >= a + 1; by its continued fraction (Lentz 1976).
double log_part_above(double a, double x) {
    constexpr double kTiny = 1e-300;
    double b = x + 1.0 - a, c = 1.0 / kTiny, d = 1.0 / b, fraction = d;
    for (int k = 1; k < 100000; ++k) {
        const double factor = -k * (k - a);
        b += 2.0;
        d = factor * d + b;
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        c = b + factor / c;
        c = std::abs(c) < kTiny ? kTiny : c;
        fraction *= d * c;
        if (std::abs(d * c - 1.0) < 1e-15) {
            break;
        }
    }
    return a * std::log(x) - x - std::lgamma(a) + std::log(fraction);
}

/// log(exp(a) - exp(b)), a > b.
double log_difference(double a, double b) {
    return a + std::log1p(-std::exp(std::min(b - a, -1e-300)));
}

}  // namespace

double RandomStream::uniform() {
    return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
}

double RandomStream::normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::normal_above(double low) {
    constexpr double kPlain = 0.45;  // below it a normal draw is kept more often
    if (low < kPlain) {
        double x = normal();
        while (x < low) {
            x = normal();
        }
        return x;
    }
    // Exponential proposal of Robert's best rate.
    const double rate = 0.5 * (low + std::sqrt(low * low + 4.0));
    for (;;) {
        const double x = low - std::log(uniform()) / rate;
        if (std::log(uniform()) <= -0.5 * (x - rate) * (x - rate)) {
            return x;
        }
    }
}

double RandomStream::normal_within(double low, double high) {
    if (high == kInfinity) {
        return low == -kInfinity ? normal() : normal_above(low);
    }
    if (low == -kInfinity) {
        return -normal_above(-high);
    }
    if (high <= 0.0) {
        return -normal_within(-high, -low);
    }
    // A wide interval around zero, or a tail that hardly knows its end.
    if (low < 0.0 && high - low > 2.0) {
        double x = normal();
        while (x < low || x > high) {
            x = normal();
        }
        return x;
    }
    if (low >= 0.0 && (high - low) * (high + low) > 2.0) {
        double x = normal_above(low);
        while (x > high) {
            x = normal_above(low);
        }
        return x;
    }
    const double peak = low > 0.0 ? low : 0.0;
    for (;;) {
        const double x = low + (high - low) * uniform();
        if (std::log(uniform()) <= 0.5 * (peak - x) * (peak + x)) {
            return x;
        }
    }
}

double RandomStream::gamma(double shape) {
    if (shape < 1.0) {
        // x^(1/shape) of a uniform number turns shape + 1 into shape.
        const double more = gamma(shape + 1.0);
        return more * std::pow(uniform(), 1.0 / shape);
    }
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        const double x = normal();
        const double root = 1.0 + c * x;
        if (root <= 0.0) {
            continue;
        }
        const double v = root * root * root;
        if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
            return d * v;
        }
    }
}

double RandomStream::gamma_within(double shape, double rate, double low, double high) {
    if (!(low < high)) {
        return low;
    }
    // Density of u = log x: exp(shape u - rate exp(u)), with its mode at log(shape / rate).
    const double a = std::log(low), b = std::log(high), mode = std::log(shape / rate);
    const auto log_density = [&](double u) { return shape * u - rate * std::exp(u); };
    const double width = 1.0 / std::sqrt(shape);
    const bool inside = mode > a && mode < b;
    if (inside && b - a > 2.0 * width) {
        double x = gamma(shape) / rate;
        while (x < low || x > high) {
            x = gamma(shape) / rate;
        }
        return x;
    }
    const double end = mode <= a ? a : b;
    const double slope = shape - rate * std::exp(end);  // of the tangent at the end nearer the mode
    if (inside || std::abs(slope) * (b - a) < 2.0) {
        const double top = log_density(std::min(std::max(mode, a), b));
        for (;;) {
            const double u = a + (b - a) * uniform();
            if (std::log(uniform()) <= log_density(u) - top) {
                return std::exp(u);
            }
        }
    }
    // The tangent lies above a log-concave density: an exponential away from the end.
    const double top = log_density(end);
    for (;;) {
        const double u = end + std::log(uniform()) / std::abs(slope) * (slope > 0.0 ? 1.0 : -1.0);
        if (u < a || u > b) {
            continue;
        }
        if (std::log(uniform()) <= log_density(u) - top - slope * (u - end)) {
            return std::exp(u);
        }
    }
}

std::string RandomStream::state() const {
    std::ostringstream text;
    text << engine_;
    return text.str();
}

void RandomStream::restore(const std::string& state) {
    std::istringstream text(state);
    std::mt19937_64 engine;
    if (!(text >> engine)) {
        throw Error(ErrorCode::InvalidArgument, "the state of a random stream is damaged");
    }
    engine_ = engine;
}

double log_normal_cdf(double x) {
    if (x > -20.0) {
        return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2));
    }
    const double s = 1.0 / (x * x);
    return -0.5 * x * x - std::log(-x * std::sqrt(2.0 * std::numbers::pi)) +
           std::log1p(-s * (1.0 - 3.0 * s * (1.0 - 5.0 * s)));
}

double log_normal_mass(double low, double high) {
    if (!(low < high)) {
        return -kInfinity;
    }
    if (low == -kInfinity) {
        return log_normal_cdf(high);
    }
    if (high == kInfinity) {
        return log_normal_cdf(-low);
    }
    if (low > 0.0) {
        return log_normal_mass(-high, -low);
    }
    // log(Phi(high) - Phi(low)), by the smaller of two numbers of the same side.
    const double of_high = log_normal_cdf(high), of_low = log_normal_cdf(low);
    return of_high + std::log1p(-std::exp(of_low - of_high));
}

double log_gamma_mass(double shape, double rate, double low, double high) {
    const double a = rate * low, b = rate * high, middle = shape + 1.0;
    const double whole = std::lgamma(shape) - shape * std::log(rate);
    if (b < middle) {
        return whole + log_difference(log_part_below(shape, b), log_part_below(shape, a));
    }
    if (a >= middle) {
        return whole + log_difference(log_part_above(shape, a), log_part_above(shape, b));
    }
    return whole +
           std::log1p(-std::exp(log_part_below(shape, a)) - std::exp(log_part_above(shape, b)));
}

}  // namespace kaname::posterior
