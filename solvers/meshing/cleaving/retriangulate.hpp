// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving {

/// Changes of connectivity that make the worst tet of a small region better. `Stars` are those of
/// the mesh before; a region that has changed since is left alone until they are made anew. Removed
/// tets have a first corner of -1.
class Retriangulation {
public:
    Retriangulation(Complex& complex, const Stars& stars)
        : complex_(complex), stars_(stars), stale_(complex.xyz.size(), 0) {}

    /// Makes the best possible change about one tet; returns false where nothing helps.
    bool improve(std::int32_t tet);
    /// Improves the listed tets whose shape_deg is below `least_deg`. Those whose surroundings do
    /// not meet are improved at the same time, others in the order of the list. The mesh is the one
    /// that improving them one after the other gives, for any number of threads.
    void improve_all(std::span<const std::int32_t> tets, double least_deg);

private:
    struct Added {
        Tet tet;
        Labels label;
    };
    using Pieces = std::vector<Added>;

    bool improve(std::int32_t tet, Pieces& added);
    bool collapse(std::int32_t from, std::int32_t to);
    bool remove_edge(std::int32_t a, std::int32_t b, Pieces& added);
    bool remove_face(std::int32_t tet, int opposite, Pieces& added);
    [[nodiscard]] double shape(const Tet& tet) const;
    [[nodiscard]] bool stale(const Tet& tet) const;
    [[nodiscard]] bool any_stale(std::span<const std::int32_t> tets) const;
    void mark_stale(const Tet& tet);
    void remove(std::span<const std::int32_t> tets);
    void append(const Pieces& added);
    [[nodiscard]] std::vector<std::vector<std::int32_t>> rounds_of(
        std::span<const std::int32_t> tets) const;

    Complex& complex_;
    const Stars& stars_;
    std::vector<unsigned char> stale_;
};

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
