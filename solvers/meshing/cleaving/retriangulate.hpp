// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/stars.hpp"

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

}  // namespace kaname::cleaving
