// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace kaname::cleaving {

inline constexpr std::size_t kLargestRing = 8;

/// Triangulation of a ring of points such that the worst of the two tets over and under each
/// triangle is best (Klincsek's dynamic programme; Freitag and Ollivier-Gooch 1997).
class RingFill {
public:
    /// `value(i, j, k)`: quality of what a triangle makes, i < j < k; 3 <= n <= kLargestRing.
    template <class Value>
    RingFill(std::size_t n, const Value& value) : n_(n) {
        for (std::size_t i = 0; i + 1 < n; ++i) {
            best_[i][i + 1] = kUnbounded;
        }
        for (std::size_t span = 2; span < n; ++span) {
            for (std::size_t i = 0; i + span < n; ++i) {
                const std::size_t j = i + span;
                best_[i][j] = -kUnbounded;
                for (std::size_t k = i + 1; k < j; ++k) {
                    const double quality = std::min({value(i, k, j), best_[i][k], best_[k][j]});
                    if (quality > best_[i][j]) {
                        best_[i][j] = quality;
                        middle_[i][j] = k;
                    }
                }
            }
        }
    }
    /// Quality of the worst triangle.
    [[nodiscard]] double quality() const { return best_[0][n_ - 1]; }
    template <class Emit>
    void triangles(const Emit& emit) const {
        visit(0, n_ - 1, emit);
    }

private:
    static constexpr double kUnbounded = std::numeric_limits<double>::infinity();

    template <class Emit>
    void visit(std::size_t i, std::size_t j, const Emit& emit) const {
        if (j - i >= 2) {
            const std::size_t k = middle_[i][j];
            emit(i, k, j);
            visit(i, k, emit);
            visit(k, j, emit);
        }
    }
    std::size_t n_;
    std::array<std::array<double, kLargestRing>, kLargestRing> best_{};
    std::array<std::array<std::size_t, kLargestRing>, kLargestRing> middle_{};
};

}  // namespace kaname::cleaving
