// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/inversion/eigen.hpp"

namespace kaname::posterior {

/// DataSet holds all that a Gaussian likelihood keeps of one set of observations whose errors have
/// the covariance s^2 C, s^2 unknown, after unknowns of the measuring with flat priors were
/// integrated out:
///   -2 log p(d | m, s) = (c - 2 g'm + m'H m) / s^2 + freedom log s^2 + const.
struct DataSet {
    Eigen::MatrixXd h;     ///< [n][n] G'W G, symmetric, W = C^-1 less its part on N
    Eigen::VectorXd g;     ///< [n] G'W d
    double c = 0.0;        ///< d'W d
    double freedom = 0.0;  ///< observations less unknowns of the measuring
};

/// ChebyshevGrid is the tensor grid of Chebyshev points of the first kind in x, P parameters in
/// [-1, 1]: cos(pi (2 k + 1) / (2 N)), k = 0 .. N - 1, of each. Node i has the last parameter's
/// index fastest.
class ChebyshevGrid {
public:
    ChebyshevGrid() = default;
    /// `counts` [P]: points of each parameter, at least one.
    explicit ChebyshevGrid(std::vector<int> counts);

    [[nodiscard]] std::size_t n_parameters() const { return points_.size(); }
    [[nodiscard]] std::size_t n_nodes() const { return n_nodes_; }
    [[nodiscard]] std::vector<double> node(std::size_t i) const;  ///< [P]
    /// Weights of the nodes [nodes] that interpolate at x [P]: products of Lagrange polynomials, by
    /// the barycentric formula (Berrut and Trefethen 2004, doi:10.1137/S0036144502417715).
    [[nodiscard]] Eigen::VectorXd weights(std::span<const double> x) const;

private:
    std::vector<std::vector<double>> points_;  ///< [P][N]
    std::size_t n_nodes_ = 0;
};

/// ResponseFamily holds the response of whitened data to n amounts as a function of x [P]:
///   -2 log p(d | m, s, x) = sum_k (rest_k + |y_k - R_k(x) m|^2) / s_k^2 + freedom_k log s_k^2,
///   R_k(x) = sum_i weight_i(x) R_k,i    over the nodes of a grid.
/// R is interpolated and not R'R, so that H = R'R has no negative eigenvalue anywhere between the
/// nodes: an error of interpolation acts as an error of the model, of its own relative size.
class ResponseFamily {
public:
    struct Set {
        Eigen::MatrixXd r;     ///< [rank n][node]: R of each node by columns
        Eigen::VectorXd y;     ///< [rank]
        double rest = 0.0;     ///< |d|^2 - |y|^2
        double freedom = 0.0;  ///< observations less unknowns of the measuring
    };

    ResponseFamily() = default;
    ResponseFamily(ChebyshevGrid grid, Eigen::Index n, std::vector<Set> sets);

    [[nodiscard]] std::size_t n_parameters() const { return grid_.n_parameters(); }
    [[nodiscard]] const std::vector<Set>& sets() const { return sets_; }
    /// Writes what the likelihood keeps of each set at x [P] to `made` [set].
    void at(std::span<const double> x, std::vector<DataSet>& made) const;
    /// R_k(x) [rank][n].
    [[nodiscard]] Eigen::MatrixXd response(std::size_t set, std::span<const double> x) const;

private:
    ChebyshevGrid grid_;
    Eigen::Index n_ = 0;
    std::vector<Set> sets_;
};

/// ResponseBasis makes one set of a family: an orthonormal basis Q [data][rank] of all responses
/// G_i [data][n] of the nodes, whitened and with unknowns of the measuring projected out, so that
/// G_i = Q R_i but for directions whose singular value is below `least` [1/m]. Many data (stations,
/// epochs) become as many numbers as they tell apart.
class ResponseBasis {
public:
    /// d [data] and nuisance [data][unknowns of the measuring], whitened; columns of zeros are
    /// passed over.
    ResponseBasis(const Eigen::VectorXd& d, const Eigen::MatrixXd& nuisance, double least);

    /// Adds the next node's response [data][n], whitened.
    void add(const Eigen::MatrixXd& g);
    [[nodiscard]] ResponseFamily::Set set() const;
    /// How far R m is from the response g [data][n] to amounts m: squares of the difference and of
    /// the motion, summed over the data, in variances.
    struct Mismatch {
        double difference = 0.0, motion = 0.0;
    };
    [[nodiscard]] Mismatch mismatch(const Eigen::MatrixXd& g, const Eigen::MatrixXd& r,
                                    const Eigen::VectorXd& m) const;
    [[nodiscard]] Eigen::Index n_data() const { return d_.size(); }

private:
    Eigen::MatrixXd nuisance_, q_;       ///< orthonormal columns
    Eigen::VectorXd d_;                  ///< without its part on the nuisance
    std::vector<Eigen::MatrixXd> made_;  ///< [node] R, of the basis as it was then
    double least_ = 0.0, freedom_ = 0.0;
};

}  // namespace kaname::posterior
