// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/normal_equations.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::inversion {
namespace {

// Columns of a tile of H: two of its operands and the tile itself fit a core's cache for the some
// hundred rows that come at once.
constexpr Eigen::Index kTile = 96;

}  // namespace

void NormalEquations::add(const Rows& rows, const Eigen::VectorXd& values) {
    const Eigen::Index n = g.size();
    if (rows.cols() != n || rows.rows() != values.size()) {
        throw Error(ErrorCode::Internal, "rows must be [" + std::to_string(values.size()) + "][" +
                                             std::to_string(n) + "], got [" +
                                             std::to_string(rows.rows()) + "][" +
                                             std::to_string(rows.cols()) + "]");
    }
    const Eigen::Index tiles = (n + kTile - 1) / kTile;
    parallel_for(
        tiles * (tiles + 1) / 2,
        [&](std::int64_t tile) {
            Eigen::Index down = 0;
            for (; tile > down; ++down) {
                tile -= down + 1;
            }
            const Eigen::Index i = down * kTile, j = tile * kTile;
            const Eigen::Index height = std::min(kTile, n - i), width = std::min(kTile, n - j);
            if (i == j) {
                h.block(i, i, height, height)
                    .selfadjointView<Eigen::Lower>()
                    .rankUpdate(rows.middleCols(i, height).transpose());
            } else {
                h.block(i, j, height, width).noalias() +=
                    rows.middleCols(i, height).transpose() * rows.middleCols(j, width);
            }
        },
        1);
    g.noalias() += rows.transpose() * values;
    c += values.squaredNorm();
    n_data += values.size();
}

NormalEquations& NormalEquations::operator+=(const NormalEquations& other) {
    h += other.h;
    g += other.g;
    c += other.c;
    n_data += other.n_data;
    return *this;
}

NormalEquations& NormalEquations::operator-=(const NormalEquations& other) {
    h -= other.h;
    g -= other.g;
    c -= other.c;
    n_data -= other.n_data;
    return *this;
}

Eigen::MatrixXd NormalEquations::symmetric() const {
    return h.selfadjointView<Eigen::Lower>();
}

double NormalEquations::misfit(const Eigen::VectorXd& x) const {
    const double quadratic = x.dot(h.selfadjointView<Eigen::Lower>() * x);
    return std::max(0.0, c - 2.0 * g.dot(x) + quadratic);
}

}  // namespace kaname::inversion
