// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solvers/p2/multigrid/aggregation.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::multigrid {
namespace {

double norm2(const double* block, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += block[k] * block[k];
    }
    return sum;
}

/// Frobenius norm of each diagonal block.
std::vector<double> diagonal_norms(const BlockMatrix& A) {
    std::vector<double> norms(A.n_rows(), 0.0);
    parallel_for(A.n_rows(), [&](std::int64_t row) {
        const auto begin = A.col.begin() + A.row_ptr[row];
        const auto end = A.col.begin() + A.row_ptr[row + 1];
        const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
        if (found != end && *found == row) {
            const std::int64_t k = found - A.col.begin();
            norms[row] = std::sqrt(norm2(A.val.data() + k * A.block_size(), A.block_size()));
        }
    });
    return norms;
}

/// Items without any stiffness: all their degrees of freedom are fixed. They join no aggregate.
std::vector<std::uint8_t> dead_items(const std::vector<double>& diagonal) {
    std::vector<std::uint8_t> dead(diagonal.size());
    std::transform(diagonal.begin(), diagonal.end(), dead.begin(),
                   [](double d) { return d == 0.0 ? 1 : 0; });
    return dead;
}

struct Strong {
    std::int32_t item;
    double coupling;
};

/// The strong couplings of each item.
class StrongGraph {
public:
    StrongGraph(const BlockMatrix& A, std::span<const std::uint8_t> owned,
                const std::vector<double>& diagonal, double strength)
        : first_(A.row_ptr), count_(A.n_rows(), 0), links_(A.col.size()) {
        const auto other_rank = [&](std::int64_t item) {
            return !owned.empty() && owned[item] == 0;
        };
        parallel_for(A.n_rows(), [&](std::int64_t row) {
            for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1] && !other_rank(row); ++k) {
                const std::int32_t other = A.col[k];
                const double scale = diagonal[row] * diagonal[other];
                if (other == row || other_rank(other) || !(scale > 0.0)) {
                    continue;
                }
                const double c2 = norm2(A.val.data() + k * A.block_size(), A.block_size());
                if (c2 > strength * strength * scale) {
                    links_[first_[row] + count_[row]++] = {other, c2 / scale};
                }
            }
        });
    }
    [[nodiscard]] std::span<const Strong> operator[](std::int64_t item) const {
        return {links_.data() + first_[item], static_cast<std::size_t>(count_[item])};
    }

private:
    std::span<const std::int64_t> first_;  ///< rows of the matrix, which outlives this
    std::vector<std::int32_t> count_;
    std::vector<Strong> links_;  ///< the first count_ places of each row
};

}  // namespace

std::vector<std::int32_t> aggregate(const BlockMatrix& A, std::span<const std::uint8_t> owned,
                                    double strength, std::int32_t& n_aggregates) {
    const std::vector<double> diagonal = diagonal_norms(A);
    const auto dead = dead_items(diagonal);
    const StrongGraph graph(A, owned, diagonal, strength);
    std::vector<std::int32_t> own(A.n_rows(), -1);
    const auto mine = [&](std::int32_t item) {
        return dead[item] == 0 && (owned.empty() || owned[item] != 0);
    };
    n_aggregates = 0;
    for (std::int32_t item = 0; item < A.n_rows(); ++item) {
        const bool free = mine(item) && own[item] < 0 && !graph[item].empty() &&
                          std::all_of(graph[item].begin(), graph[item].end(),
                                      [&](const Strong& s) { return own[s.item] < 0; });
        if (free) {
            own[item] = n_aggregates;
            for (const Strong& s : graph[item]) {
                own[s.item] = n_aggregates;
            }
            ++n_aggregates;
        }
    }
    const std::vector<std::int32_t> seeds = own;
    parallel_for(A.n_rows(), [&](std::int64_t item) {
        double best = 0.0;
        for (const Strong& s : graph[item]) {
            if (seeds[item] < 0 && seeds[s.item] >= 0 && s.coupling > best) {
                best = s.coupling;
                own[item] = seeds[s.item];
            }
        }
    });
    for (std::int32_t item = 0; item < A.n_rows(); ++item) {
        if (mine(item) && own[item] < 0) {
            own[item] = n_aggregates;
            for (const Strong& s : graph[item]) {
                if (own[s.item] < 0) {
                    own[s.item] = n_aggregates;
                }
            }
            ++n_aggregates;
        }
    }
    return own;
}

}  // namespace kaname::multigrid
