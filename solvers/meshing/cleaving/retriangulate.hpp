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

    /// The best of what is possible about one tet; false where nothing helps.
    bool improve(std::int32_t tet);

private:
    bool collapse(std::int32_t from, std::int32_t to);
    bool remove_edge(std::int32_t a, std::int32_t b);
    bool remove_face(std::int32_t tet, int opposite);
    [[nodiscard]] double shape(const Tet& tet) const;
    [[nodiscard]] bool any_stale(std::span<const std::int32_t> tets) const;
    void replace(std::span<const std::int32_t> removed, std::span<const Tet> added, Labels label);

    Complex& complex_;
    const Stars& stars_;
    std::vector<unsigned char> stale_;
};

}  // namespace kaname::cleaving
