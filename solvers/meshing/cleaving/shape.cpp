// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/shape.hpp"

namespace kaname::cleaving {

Stars::Stars(std::size_t vertices, std::span<const Tet> tets) : begin_(vertices + 1, 0) {
    for (const Tet& tet : tets) {
        for (const std::int32_t v : tet) {
            ++begin_[static_cast<std::size_t>(v) + 1];
        }
    }
    for (std::size_t v = 0; v < vertices; ++v) {
        begin_[v + 1] += begin_[v];
    }
    tets_.resize(4 * tets.size());
    std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (const std::int32_t v : tets[t]) {
            tets_[static_cast<std::size_t>(next[v]++)] = static_cast<std::int32_t>(t);
        }
    }
}

}  // namespace kaname::cleaving
