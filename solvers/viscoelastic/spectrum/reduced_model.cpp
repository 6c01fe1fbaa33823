// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/reduced_model.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/linalg/dense.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;
using LaneRows = ReducedModel::LaneRows;

namespace {

// Share of the largest eigenvalue below which directions are rounding.
constexpr double kRankTolerance = 1e-12;

/// Columns T [n][m], m <= n, with T^T A T = I; directions that A does not resist are left out. The
/// columns of A are first scaled to one length, so that small vectors count like large ones.
struct Whitening {
    int n = 0;
    int m = 0;
    std::vector<double> T;  ///< [m][n], row k is column k
};

Whitening whiten(std::span<const double> A, int n) {
    std::vector<double> unit(n);
    for (int i = 0; i < n; ++i) {
        const double energy = A[std::size_t(i) * n + i];
        unit[i] = energy > 0.0 ? 1.0 / std::sqrt(energy) : 0.0;
    }
    std::vector<double> scaled(A.begin(), A.end());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            scaled[std::size_t(i) * n + j] *= unit[i] * unit[j];
        }
    }
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(scaled, n);
    Whitening result;
    result.n = n;
    for (int k = 0; k < n; ++k) {
        if (eigen.value[k] <= kRankTolerance * eigen.value[n - 1]) {
            continue;
        }
        const double scale = 1.0 / std::sqrt(eigen.value[k]);
        for (int i = 0; i < n; ++i) {
            result.T.push_back(scale * unit[i] * eigen.vector[std::size_t(k) * n + i]);
        }
        ++result.m;
    }
    return result;
}

/// T^T A T [m][m].
std::vector<double> in_basis(const Whitening& w, std::span<const double> A) {
    std::vector<double> AT(std::size_t(w.m) * w.n, 0.0);  // row k = A t_k
    for (int k = 0; k < w.m; ++k) {
        for (int i = 0; i < w.n; ++i) {
            for (int j = 0; j < w.n; ++j) {
                AT[std::size_t(k) * w.n + i] +=
                    A[std::size_t(i) * w.n + j] * w.T[std::size_t(k) * w.n + j];
            }
        }
    }
    std::vector<double> result(std::size_t(w.m) * w.m, 0.0);
    for (int k = 0; k < w.m; ++k) {
        for (int l = 0; l < w.m; ++l) {
            for (int i = 0; i < w.n; ++i) {
                result[std::size_t(k) * w.m + l] +=
                    w.T[std::size_t(k) * w.n + i] * AT[std::size_t(l) * w.n + i];
            }
        }
    }
    return result;
}

LaneRows in_basis(const Whitening& w, const LaneRows& b) {
    LaneRows result(w.m);
    for (int k = 0; k < w.m; ++k) {
        for (int i = 0; i < w.n; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                result[k][lane] += w.T[std::size_t(k) * w.n + i] * b[i][lane];
            }
        }
    }
    return result;
}

/// A_el + sum A_j.
std::vector<double> unrelaxed(const ReducedModel& model) {
    std::vector<double> K = model.A_el;
    for (const auto& group : model.A) {
        std::transform(K.begin(), K.end(), group.begin(), K.begin(), std::plus<>());
    }
    return K;
}

/// One internal variable: a direction in which one branch of one group carries stress.
struct Variable {
    std::vector<double> e;  ///< [m] column of E
    std::array<double, kLanes> beta;
    double rate;
};

/// The variables of one group: A = B B^T and beta = B^+ b, for each branch that relaxes.
void add_variables(int m, std::span<const double> A, const LaneRows& b, double largest,
                   const Relaxation& relaxation, std::vector<Variable>& variables) {
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(A, m);
    for (int k = 0; k < m; ++k) {
        if (eigen.value[k] <= kRankTolerance * largest) {
            continue;
        }
        const double* v = eigen.vector.data() + std::size_t(k) * m;
        const double root = std::sqrt(eigen.value[k]);
        for (const Relaxation::Branch& branch : relaxation.branches) {
            if (branch.rate_per_s <= 0.0 || branch.share <= 0.0) {
                continue;
            }
            Variable variable{std::vector<double>(m), {}, branch.rate_per_s};
            const double share = std::sqrt(branch.share);
            for (int i = 0; i < m; ++i) {
                variable.e[i] = share * root * v[i];
                for (int lane = 0; lane < kLanes; ++lane) {
                    variable.beta[lane] += share / root * v[i] * b[i][lane];
                }
            }
            variables.push_back(std::move(variable));
        }
    }
}

/// int_0^t exp(-a (t - t')) exp(-b t') dt' = exp(-min(a, b) t) (1 - exp(-|a - b| t)) / |a - b|.
double decaying_overlap(double a_per_s, double b_per_s, double t_s) {
    const double apart = std::abs(a_per_s - b_per_s);
    const double x = apart * t_s;
    return std::exp(-std::min(a_per_s, b_per_s) * t_s) * (x > 0.0 ? -std::expm1(-x) / apart : t_s);
}

/// R^1/2 (I - E^T E) R^1/2.
std::vector<double> rate_matrix(const std::vector<Variable>& variables) {
    const std::size_t size = variables.size();
    std::vector<double> M(size * size);
    for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < size; ++b) {
            double product = a == b ? 1.0 : 0.0;
            for (std::size_t i = 0; i < variables[a].e.size(); ++i) {
                product -= variables[a].e[i] * variables[b].e[i];
            }
            M[a * size + b] = std::sqrt(variables[a].rate * variables[b].rate) * product;
        }
    }
    return M;
}

}  // namespace

LaneRows RelaxationModes::weighted(std::span<const double> weight) const {
    LaneRows c(n_basis);
    for (std::size_t mode = 0; mode < weight.size(); ++mode) {
        for (int i = 0; i < n_basis; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                c[i][lane] += weight[mode] * amplitude[mode * n_basis + i][lane];
            }
        }
    }
    return c;
}

LaneRows RelaxationModes::at(double t_s) const {
    std::vector<double> weight;
    for (const double rate : rate_per_s) {
        weight.push_back(decaying_overlap(rate, 0.0, t_s));
    }
    return weighted(weight);
}

LaneRows RelaxationModes::remembered(const Relaxation& relaxation, double t_s) const {
    std::vector<double> weight(rate_per_s.size(), 0.0);
    for (std::size_t mode = 0; mode < weight.size(); ++mode) {
        for (const Relaxation::Branch& branch : relaxation.branches) {
            weight[mode] +=
                branch.share * decaying_overlap(rate_per_s[mode], branch.rate_per_s, t_s);
        }
    }
    return weighted(weight);
}

LaneRows ReducedModel::at(std::span<const double> g) const {
    std::vector<double> K = A_el;
    LaneRows rhs(n_basis);
    for (std::size_t j = 0; j < A.size(); ++j) {
        for (std::size_t i = 0; i < K.size(); ++i) {
            K[i] += g[j] * A[j][i];
        }
        for (int i = 0; i < n_basis; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                rhs[i][lane] += (1.0 - g[j]) * b[j][i][lane];
            }
        }
    }
    const Whitening w = whiten(K, n_basis);
    const LaneRows x = in_basis(w, rhs);
    LaneRows c(n_basis);
    for (int k = 0; k < w.m; ++k) {
        for (int i = 0; i < n_basis; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                c[i][lane] += w.T[std::size_t(k) * n_basis + i] * x[k][lane];
            }
        }
    }
    return c;
}

RelaxationModes ReducedModel::modes(std::span<const Relaxation> relaxation) const {
    if (relaxation.size() != A.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "one relaxation per group is needed: " + std::to_string(A.size()) + ", got " +
                        std::to_string(relaxation.size()));
    }
    RelaxationModes result;
    result.n_basis = n_basis;
    if (n_basis == 0) {
        return result;
    }
    const Whitening w = whiten(unrelaxed(*this), n_basis);
    std::vector<Variable> variables;
    for (std::size_t j = 0; j < A.size(); ++j) {
        // In this basis no stiffness exceeds one.
        add_variables(w.m, in_basis(w, A[j]), in_basis(w, b[j]), 1.0, relaxation[j], variables);
    }
    const std::size_t size = variables.size();
    const linalg::SymmetricEigen eigen =
        linalg::symmetric_eigen(rate_matrix(variables), static_cast<int>(size));
    for (std::size_t mode = 0; mode < size; ++mode) {
        const double* q = eigen.vector.data() + mode * size;
        std::array<double, kLanes> weight{};
        std::vector<double> direction(w.m, 0.0);
        for (std::size_t a = 0; a < size; ++a) {
            const double root = std::sqrt(variables[a].rate);
            for (int lane = 0; lane < kLanes; ++lane) {
                weight[lane] += root * q[a] * variables[a].beta[lane];
            }
            for (int k = 0; k < w.m; ++k) {
                direction[k] += root * q[a] * variables[a].e[k];
            }
        }
        result.rate_per_s.push_back(std::max(0.0, eigen.value[mode]));
        for (int i = 0; i < n_basis; ++i) {
            double value = 0.0;
            for (int k = 0; k < w.m; ++k) {
                value += direction[k] * w.T[std::size_t(k) * n_basis + i];
            }
            std::array<double, kLanes> amplitude{};
            for (int lane = 0; lane < kLanes; ++lane) {
                amplitude[lane] = value * weight[lane];
            }
            result.amplitude.push_back(amplitude);
        }
    }
    return result;
}

OrthonormalModel orthonormal(const ReducedModel& model) {
    OrthonormalModel result;
    result.model.A.resize(model.A.size());
    result.model.b.resize(model.b.size());
    if (model.n_basis == 0) {
        return result;
    }
    Whitening w = whiten(unrelaxed(model), model.n_basis);
    result.model.n_basis = w.m;
    result.model.A_el = in_basis(w, model.A_el);
    for (std::size_t j = 0; j < model.A.size(); ++j) {
        result.model.A[j] = in_basis(w, model.A[j]);
        result.model.b[j] = in_basis(w, model.b[j]);
    }
    result.T = std::move(w.T);
    return result;
}

}  // namespace kaname::viscoelastic
