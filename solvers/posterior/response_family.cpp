// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/response_family.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::posterior {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ChebyshevGrid::ChebyshevGrid(std::vector<int> counts) : n_nodes_(1) {
    for (const int count : counts) {
        if (count < 1) {
            throw Error(ErrorCode::Internal, "a grid must have points of each parameter");
        }
        std::vector<double>& points = points_.emplace_back();
        for (int k = 0; k < count; ++k) {
            points.push_back(std::cos(std::numbers::pi * (2 * k + 1) / (2.0 * count)));
        }
        n_nodes_ *= points.size();
    }
}

std::vector<double> ChebyshevGrid::node(std::size_t i) const {
    std::vector<double> x(points_.size());
    for (std::size_t p = points_.size(); p-- > 0;) {
        x[p] = points_[p][i % points_[p].size()];
        i /= points_[p].size();
    }
    return x;
}

namespace {

/// Lagrange polynomials of Chebyshev points of the first kind at x, by the barycentric formula with
/// the weights (-1)^k sin(pi (2 k + 1) / (2 N)).
VectorXd lagrange(const std::vector<double>& points, double x) {
    const auto n = static_cast<Index>(points.size());
    VectorXd values(n);
    for (Index k = 0; k < n; ++k) {
        const double apart = x - points[static_cast<std::size_t>(k)];
        if (apart == 0.0) {
            return VectorXd::Unit(n, k);
        }
        values[k] = (k % 2 == 0 ? 1.0 : -1.0) *
                    std::sin(std::numbers::pi * static_cast<double>(2 * k + 1) /
                             (2.0 * static_cast<double>(n))) /
                    apart;
    }
    return values / values.sum();
}

}  // namespace

VectorXd ChebyshevGrid::weights(std::span<const double> x) const {
    VectorXd product = VectorXd::Ones(1);
    for (std::size_t p = 0; p < points_.size(); ++p) {
        const VectorXd own = lagrange(points_[p], x[p]);
        VectorXd next(product.size() * own.size());
        for (Index i = 0; i < product.size(); ++i) {
            next.segment(i * own.size(), own.size()) = product[i] * own;
        }
        product = std::move(next);
    }
    return product;
}

ResponseFamily::ResponseFamily(ChebyshevGrid grid, Index n, std::vector<Set> sets)
    : grid_(std::move(grid)), n_(n), sets_(std::move(sets)) {
    for (const Set& set : sets_) {
        if (set.r.rows() != set.y.size() * n ||
            set.r.cols() != static_cast<Index>(grid_.n_nodes())) {
            throw Error(ErrorCode::Internal, "a family of responses must have all nodes");
        }
    }
}

MatrixXd ResponseFamily::response(std::size_t set, std::span<const double> x) const {
    const VectorXd weights = grid_.weights(x);
    VectorXd r = sets_[set].r * weights;
    return r.reshaped(sets_[set].y.size(), n_);
}

void ResponseFamily::at(std::span<const double> x, std::vector<DataSet>& made) const {
    const VectorXd weights = grid_.weights(x);
    made.resize(sets_.size());
    for (std::size_t k = 0; k < sets_.size(); ++k) {
        const Set& of = sets_[k];
        const VectorXd values = of.r * weights;
        const Eigen::Map<const MatrixXd> r(values.data(), of.y.size(), n_);
        DataSet& set = made[k];
        set.h.setZero(n_, n_);
        set.h.selfadjointView<Eigen::Lower>().rankUpdate(r.transpose());
        set.h.triangularView<Eigen::StrictlyUpper>() = set.h.transpose();
        set.g.noalias() = r.transpose() * of.y;
        set.c = of.rest + of.y.squaredNorm();
        set.freedom = of.freedom;
    }
}

ResponseBasis::ResponseBasis(const VectorXd& d, const MatrixXd& nuisance, double least)
    : nuisance_(d.size(), 0), q_(d.size(), 0), d_(d), least_(least) {
    std::vector<Index> used;
    for (Index j = 0; j < nuisance.cols(); ++j) {
        if (nuisance.col(j).squaredNorm() > 0.0) {
            used.push_back(j);
        }
    }
    if (!used.empty()) {
        MatrixXd columns = nuisance(Eigen::all, used);
        columns.colwise().normalize();
        Eigen::ColPivHouseholderQR<MatrixXd> factor(columns);
        factor.setThreshold(1e-5);  // of a scaled unknown, once those before it are known
        if (factor.rank() < columns.cols()) {
            throw Error(ErrorCode::InvalidArgument,
                        "posterior: unknowns of the measuring cannot be told apart by the data");
        }
        nuisance_ = factor.householderQ() * MatrixXd::Identity(d.size(), columns.cols());
        d_ -= nuisance_ * (nuisance_.transpose() * d_);
    }
    freedom_ = static_cast<double>(d.size() - nuisance_.cols());
}

void ResponseBasis::add(const MatrixXd& g) {
    const Index n = g.cols(), rank = q_.cols();
    MatrixXd rest = g;
    if (nuisance_.cols() > 0) {
        rest.noalias() -= nuisance_ * (nuisance_.transpose() * g);
    }
    // Gram and Schmidt twice, for what rounding leaves the first time.
    MatrixXd r = q_.transpose() * rest;
    rest.noalias() -= q_ * r;
    const MatrixXd again = q_.transpose() * rest;
    rest.noalias() -= q_ * again;
    r += again;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(rest.transpose() * rest);
    Index more = 0;
    while (more < n && eigen.eigenvalues()[n - 1 - more] > least_ * least_) {
        ++more;
    }
    if (more > 0) {
        MatrixXd fresh = rest * eigen.eigenvectors().rightCols(more);
        fresh -= q_ * (q_.transpose() * fresh);
        const Eigen::HouseholderQR<MatrixXd> factor(fresh);
        fresh = factor.householderQ() * MatrixXd::Identity(g.rows(), more);
        r.conservativeResize(rank + more, n);
        r.bottomRows(more).noalias() = fresh.transpose() * rest;
        q_.conservativeResize(Eigen::NoChange, rank + more);
        q_.rightCols(more) = fresh;
    }
    made_.push_back(std::move(r));
}

ResponseFamily::Set ResponseBasis::set() const {
    ResponseFamily::Set set;
    const Index rank = q_.cols();
    set.y = q_.transpose() * d_;
    set.rest = std::max(0.0, d_.squaredNorm() - set.y.squaredNorm());
    set.freedom = freedom_;
    const Index n = made_.empty() ? 0 : made_.front().cols();
    set.r.resize(rank * n, static_cast<Index>(made_.size()));
    for (std::size_t i = 0; i < made_.size(); ++i) {
        MatrixXd whole = MatrixXd::Zero(rank, n);
        whole.topRows(made_[i].rows()) = made_[i];
        set.r.col(static_cast<Index>(i)) = whole.reshaped();
    }
    return set;
}

ResponseBasis::Mismatch ResponseBasis::mismatch(const MatrixXd& g, const MatrixXd& r,
                                                const VectorXd& m) const {
    VectorXd motion = g * m;
    motion -= nuisance_ * (nuisance_.transpose() * motion);
    return {(motion - q_ * (r * m)).squaredNorm(), motion.squaredNorm()};
}

}  // namespace kaname::posterior
