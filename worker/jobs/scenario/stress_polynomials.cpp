// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "worker/jobs/scenario/stress_recovery.hpp"

namespace kaname::jobs {
namespace {

using Powers = std::array<int, 3>;
using Vector = std::vector<double>;

constexpr int kPlace[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};  // of component ij
constexpr double kZero = 1e-9;                                   // of numbers of order one

std::vector<Powers> monomials(int degree) {
    std::vector<Powers> all;
    for (int a = degree; a >= 0; --a) {
        for (int b = degree - a; b >= 0; --b) {
            all.push_back({a, b, degree - a - b});
        }
    }
    return all;
}

/// row[place of d m / d x_j] += factor times the derivative's coefficient.
void add_derivative(Powers m, int j, double factor, const std::vector<Powers>& lower, double* row) {
    const int power = m[j];
    if (power > 0) {
        --m[j];
        row[std::ranges::find(lower, m) - lower.begin()] += factor * power;
    }
}

/// The stress [6][lower] of v_i = m.
Vector stress_of_motion(const Powers& m, int i, std::optional<double> lambda_over_mu,
                        const std::vector<Powers>& lower) {
    Vector stress(6 * lower.size(), 0.0);
    for (int j = 0; j < 3; ++j) {
        const double twice = i == j ? 2.0 : 1.0;
        add_derivative(m, j, twice, lower, stress.data() + kPlace[i][j] * lower.size());
        if (lambda_over_mu) {
            add_derivative(m, i, *lambda_over_mu, lower,
                           stress.data() + kPlace[j][j] * lower.size());
        }
    }
    return stress;
}

/// div S [3][lower] of a stress [6][of].
Vector divergence(const Vector& stress, const std::vector<Powers>& of,
                  const std::vector<Powers>& lower) {
    Vector force(3 * lower.size(), 0.0);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (std::size_t m = 0; m < of.size(); ++m) {
                add_derivative(of[m], j, stress[kPlace[i][j] * of.size() + m], lower,
                               force.data() + std::size_t(i) * lower.size());
            }
        }
    }
    return force;
}

/// Combinations of the columns that vanish, by Gauss and Jordan with the largest pivots.
std::vector<Vector> null_space(std::vector<Vector> columns) {
    const std::size_t n = columns.size();
    const std::size_t n_rows = columns.front().size();
    std::vector<std::size_t> pivot_of_row;
    std::vector<bool> is_pivot(n, false);
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::size_t best_row = row;
        std::size_t best = n;
        double largest = kZero;
        for (std::size_t column = 0; column < n; ++column) {
            for (std::size_t r = row; r < n_rows && !is_pivot[column]; ++r) {
                if (std::abs(columns[column][r]) > largest) {
                    largest = std::abs(columns[column][r]);
                    best = column;
                    best_row = r;
                }
            }
        }
        if (best == n) {
            break;
        }
        is_pivot[best] = true;
        pivot_of_row.push_back(best);
        for (Vector& column : columns) {
            std::swap(column[row], column[best_row]);
        }
        const Vector pivot = columns[best];
        for (Vector& column : columns) {
            const double share = column[row] / pivot[row];
            for (std::size_t r = 0; r < n_rows; ++r) {
                column[r] -= r == row ? 0.0 : share * pivot[r];
            }
            column[row] = share;
        }
    }
    std::vector<Vector> null;
    for (std::size_t column = 0; column < n; ++column) {
        if (is_pivot[column]) {
            continue;
        }
        Vector& free = null.emplace_back(n, 0.0);
        free[column] = 1.0;
        for (std::size_t row = 0; row < pivot_of_row.size(); ++row) {
            free[pivot_of_row[row]] = -columns[column][row];
        }
    }
    return null;
}

/// Takes out of `vector` what the others have, twice against rounding; false where nothing is left.
bool orthonormalise(Vector& vector, const std::vector<Vector>& others) {
    const auto size = [&] {
        return std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0));
    };
    const double before = size();
    for (int pass = 0; pass < 2; ++pass) {
        for (const Vector& other : others) {
            const double along =
                std::inner_product(vector.begin(), vector.end(), other.begin(), 0.0);
            std::transform(vector.begin(), vector.end(), other.begin(), vector.begin(),
                           [along](double a, double b) { return a - along * b; });
        }
    }
    const double left = size();
    std::ranges::transform(vector, vector.begin(), [left](double a) { return a / left; });
    return left > kZero * before && before > 0.0;
}

/// Orthonormal stresses [6][monomials(degree)] whose terms are all of one degree: equilibrium and
/// the law do not mix degrees.
std::vector<Vector> modes_of(int degree, std::optional<double> lambda_over_mu) {
    const std::vector<Powers> own = monomials(degree);
    std::vector<Vector> stress;
    for (int i = 0; i < 3; ++i) {
        for (const Powers& m : monomials(degree + 1)) {
            stress.push_back(stress_of_motion(m, i, lambda_over_mu, own));
        }
    }
    for (std::size_t m = 0; m < own.size() && !lambda_over_mu; ++m) {
        Vector& pressure = stress.emplace_back(6 * own.size(), 0.0);
        for (int j = 0; j < 3; ++j) {
            pressure[kPlace[j][j] * own.size() + m] = 1.0;
        }
    }
    if (degree > 0) {
        const std::vector<Powers> lower = monomials(degree - 1);
        std::vector<Vector> forces;
        for (const Vector& of : stress) {
            forces.push_back(divergence(of, own, lower));
        }
        std::vector<Vector> balanced;
        for (const Vector& share : null_space(std::move(forces))) {
            Vector& sum = balanced.emplace_back(6 * own.size(), 0.0);
            for (std::size_t k = 0; k < stress.size(); ++k) {
                for (std::size_t i = 0; i < sum.size(); ++i) {
                    sum[i] += share[k] * stress[k][i];
                }
            }
        }
        stress = std::move(balanced);
    }
    // Rotations and the like have no stress.
    std::vector<Vector> modes;
    for (Vector& of : stress) {
        if (orthonormalise(of, modes)) {
            modes.push_back(std::move(of));
        }
    }
    return modes;
}

}  // namespace

StressPolynomials stress_polynomials(int degree, std::optional<double> lambda_over_mu) {
    StressPolynomials all;
    for (int k = 0; k <= degree; ++k) {
        std::ranges::copy(monomials(k), std::back_inserter(all.powers));
    }
    const std::size_t n_powers = all.powers.size();
    std::size_t first = 0;
    for (int k = 0; k <= degree; ++k) {
        const std::size_t own = monomials(k).size();
        for (const Vector& mode : modes_of(k, lambda_over_mu)) {
            for (std::size_t component = 0; component < 6; ++component) {
                const auto from = mode.begin() + std::ptrdiff_t(component * own);
                all.modes.resize(all.modes.size() + n_powers, 0.0);
                std::copy_n(from, own, all.modes.end() - std::ptrdiff_t(n_powers - first));
            }
            ++all.n_modes;
        }
        first += own;
    }
    return all;
}

}  // namespace kaname::jobs
