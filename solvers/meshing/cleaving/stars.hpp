// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving {

/// The tets around every vertex.
class Stars {
public:
    Stars(std::size_t vertices, std::span<const Tet> tets);
    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t vertex) const {
        return {tets_.data() + begin_[vertex], tets_.data() + begin_[vertex + 1]};
    }

private:
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> tets_;
};

}  // namespace kaname::cleaving
