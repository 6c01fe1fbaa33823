// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;
using Complex = std::complex<double>;
template <int L>
using RowsOfLanes = std::vector<std::array<Complex, L>>;
using ComplexRows = RowsOfLanes<kLanes>;

namespace {

/// Upper triangle of a complex symmetric matrix, rows of full width; real and imaginary parts
/// apart, so that its loops are plain.
struct Matrix {
    std::vector<double> re, im;
};

Matrix stiffness(const ReducedModel& model, std::span<const Complex> g) {
    Matrix K{model.A_el, std::vector<double>(model.A_el.size(), 0.0)};
    for (std::size_t j = 0; j < g.size(); ++j) {
        const double re = g[j].real(), im = g[j].imag();
        for (std::size_t i = 0; i < K.re.size(); ++i) {
            K.re[i] += re * model.A[j][i];
            K.im[i] += im * model.A[j][i];
        }
    }
    return K;
}

/// K = U^T D^-1 U with U in place of K, and x = U^-T x on the way.
template <int L>
void eliminate(Matrix& K, RowsOfLanes<L>& x) {
    const std::size_t n = x.size();
    for (std::size_t k = 0; k < n; ++k) {
        const double* row_re = K.re.data() + k * n;
        const double* row_im = K.im.data() + k * n;
        const Complex inverse = 1.0 / Complex(row_re[k], row_im[k]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const Complex factor = Complex(row_re[i], row_im[i]) * inverse;
            const double a = factor.real(), b = factor.imag();
            double* to_re = K.re.data() + i * n;
            double* to_im = K.im.data() + i * n;
            for (std::size_t j = i; j < n; ++j) {
                to_re[j] -= a * row_re[j] - b * row_im[j];
                to_im[j] -= a * row_im[j] + b * row_re[j];
            }
            for (int lane = 0; lane < L; ++lane) {
                x[i][lane] -= factor * x[k][lane];
            }
        }
    }
}

/// x = U^-1 x.
template <int L>
void substitute(const Matrix& U, RowsOfLanes<L>& x) {
    const std::size_t n = x.size();
    for (std::size_t k = n; k-- > 0;) {
        const Complex inverse = 1.0 / Complex(U.re[k * n + k], U.im[k * n + k]);
        for (std::size_t j = k + 1; j < n; ++j) {
            const Complex factor(U.re[k * n + j], U.im[k * n + j]);
            for (int lane = 0; lane < L; ++lane) {
                x[k][lane] -= factor * x[j][lane];
            }
        }
        for (int lane = 0; lane < L; ++lane) {
            x[k][lane] *= inverse;
        }
    }
}

std::vector<Complex> moduli_at(std::span<const Relaxation> relaxation, Complex s) {
    std::vector<Complex> g;
    for (const Relaxation& of : relaxation) {
        g.push_back(of.at(s));
    }
    return g;
}

/// The first L lanes of the answer.
template <int L>
RowsOfLanes<L> answer_of_lanes(const ReducedModel& model, std::span<const Complex> g) {
    RowsOfLanes<L> x(model.n_basis);
    for (std::size_t j = 0; j < g.size(); ++j) {
        for (int i = 0; i < model.n_basis; ++i) {
            for (int lane = 0; lane < L; ++lane) {
                x[i][lane] += (1.0 - g[j]) * model.b[j][i][lane];
            }
        }
    }
    Matrix K = stiffness(model, g);
    eliminate<L>(K, x);
    substitute<L>(K, x);
    return x;
}

}  // namespace

ComplexRows reduced_answer_at(const ReducedModel& model, std::span<const Complex> g) {
    return answer_of_lanes<kLanes>(model, g);
}

/// As with complex moduli, K = U^T D^-1 U, in a quarter of the operations.
ReducedModel::LaneRows reduced_answer_at(const ReducedModel& model, std::span<const double> g) {
    const auto n = static_cast<std::size_t>(model.n_basis);
    std::vector<double> K = model.A_el;
    ReducedModel::LaneRows x(n);
    for (std::size_t j = 0; j < g.size(); ++j) {
        for (std::size_t i = 0; i < K.size(); ++i) {
            K[i] += g[j] * model.A[j][i];
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                x[i][lane] += (1.0 - g[j]) * model.b[j][i][lane];
            }
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        const double* row = K.data() + k * n;
        const double inverse = 1.0 / row[k];
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = row[i] * inverse;
            double* to = K.data() + i * n;
            for (std::size_t j = i; j < n; ++j) {
                to[j] -= factor * row[j];
            }
            for (int lane = 0; lane < kLanes; ++lane) {
                x[i][lane] -= factor * x[k][lane];
            }
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (int lane = 0; lane < kLanes; ++lane) {
            for (std::size_t j = k + 1; j < n; ++j) {
                x[k][lane] -= K[k * n + j] * x[j][lane];
            }
            x[k][lane] /= K[k * n + k];
        }
    }
    return x;
}

std::vector<double> weighted_answers(const ReducedModel& model,
                                     std::span<const Relaxation> relaxation,
                                     std::span<const Complex> shifts,
                                     std::span<const Complex> weights, std::size_t rows) {
    const auto n = static_cast<std::size_t>(model.n_basis);
    std::vector<double> re(shifts.size() * n), im(shifts.size() * n);
    const auto answer = [&](std::int64_t k) {
        const RowsOfLanes<1> x = answer_of_lanes<1>(model, moduli_at(relaxation, shifts[k]));
        for (std::size_t i = 0; i < n; ++i) {
            re[std::size_t(k) * n + i] = x[i][0].real();
            im[std::size_t(k) * n + i] = x[i][0].imag();
        }
    };
    parallel_for(static_cast<std::int64_t>(shifts.size()), answer, 1);
    std::vector<double> sums(rows * n, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
        double* to = sums.data() + row * n;
        for (std::size_t k = 0; k < shifts.size(); ++k) {
            const Complex weight = weights[row * shifts.size() + k];
            for (std::size_t i = 0; weight != 0.0 && i < n; ++i) {
                to[i] += weight.real() * re[k * n + i] - weight.imag() * im[k * n + i];
            }
        }
    }
    return sums;
}

std::vector<TimeRows> rows_in_time(const ReducedModel& model,
                                   std::span<const Relaxation> relaxation,
                                   std::span<const double> times_s) {
    const LaplaceContour contour = laplace_contour(times_s);
    const std::size_t groups = relaxation.size();
    std::vector<ComplexRows> x(contour.s.size());
    std::vector<std::vector<Complex>> g(contour.s.size());
    const auto answer = [&](std::int64_t k) {
        g[k] = moduli_at(relaxation, contour.s[k]);
        x[k] = reduced_answer_at(model, g[k]);
    };
    parallel_for(static_cast<std::int64_t>(contour.s.size()), answer, 1);
    std::vector<TimeRows> rows(
        times_s.size(),
        {std::vector<double>(groups, 0.0),
         std::vector<ReducedModel::LaneRows>(1 + groups, ReducedModel::LaneRows(model.n_basis))});
    for (const LaplaceContour::Window& window : contour.windows) {
        for (std::size_t row = 0; row < window.times.size(); ++row) {
            TimeRows& into = rows[window.times[row]];
            for (std::size_t of = 0; of < window.n_nodes; ++of) {
                const std::size_t k = window.first_node + of;
                const Complex weight = window.weights[row * window.n_nodes + of] / contour.s[k];
                for (std::size_t part = 0; part <= groups; ++part) {
                    const Complex w = part == 0 ? weight : weight * g[k][part - 1];
                    for (int i = 0; i < model.n_basis; ++i) {
                        for (int lane = 0; lane < kLanes; ++lane) {
                            into.c[part][i][lane] +=
                                w.real() * x[k][i][lane].real() - w.imag() * x[k][i][lane].imag();
                        }
                    }
                }
                for (std::size_t j = 0; j < groups; ++j) {
                    into.load[j] += std::real(weight * (1.0 - g[k][j]));
                }
            }
        }
    }
    return rows;
}

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDecade = 10.0;   ///< last time of a window over its first
constexpr int kContourNodes = 22;  ///< error exp(-1.019 kContourNodes)
// Angle that makes exp(-B N) smallest for windows of a decade, B = (pi^2 - 2 pi alpha) / A.
constexpr double kAlpha = 1.02367;

/// A of the paper: half of the range of u that N steps cover.
double half_range() {
    const double numerator = (kPi - 2.0 * kAlpha) * kDecade + 4.0 * kAlpha - kPi;
    return std::acosh(numerator / ((4.0 * kAlpha - kPi) * std::sin(kAlpha)));
}

/// Adds the nodes and weights of times within [first, kDecade first].
void add_window(std::span<const double> times_s, std::vector<std::size_t> times,
                LaplaceContour& contour) {
    const double A = half_range();
    const double step = A / kContourNodes;
    const double last_s = kDecade * times_s[times.front()];
    const double mu = (4.0 * kPi * kAlpha - kPi * kPi) / A * kContourNodes / last_s;
    LaplaceContour::Window window{contour.s.size(), kContourNodes, std::move(times), {}};
    std::vector<std::complex<double>> slope;
    for (int k = 0; k < kContourNodes; ++k) {
        const std::complex<double> w(-kAlpha, (k + 0.5) * step);
        contour.s.push_back(mu * (1.0 + std::sin(w)));
        // h/(pi i) dz/du, dz/du = i mu cos(w)
        slope.push_back(step / kPi * mu * std::cos(w));
    }
    for (const std::size_t time : window.times) {
        for (int k = 0; k < kContourNodes; ++k) {
            window.weights.push_back(slope[k] *
                                     std::exp(contour.s[window.first_node + k] * times_s[time]));
        }
    }
    contour.windows.push_back(std::move(window));
}

}  // namespace

LaplaceContour laplace_contour(std::span<const double> times_s) {
    std::vector<std::size_t> order(times_s.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) {
        if (!(std::isfinite(times_s[i]) && times_s[i] >= 0.0)) {
            throw Error(ErrorCode::InvalidArgument,
                        "a time must be finite and >= 0 s, got " + std::to_string(times_s[i]));
        }
        return times_s[i] == 0.0;
    });
    std::ranges::sort(order, {}, [&](std::size_t i) { return times_s[i]; });
    LaplaceContour contour;
    for (auto first = order.begin(); first != order.end();) {
        const double last_s = kDecade * times_s[*first];
        const auto end =
            std::find_if(first, order.end(), [&](std::size_t i) { return times_s[i] > last_s; });
        add_window(times_s, {first, end}, contour);
        first = end;
    }
    return contour;
}

}  // namespace kaname::viscoelastic
