// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/outflow.hpp"

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/face_tables.hpp"

namespace kaname::aderdg {

Outflow::Outflow(const EngineSetup& setup)
    : modes_(face_modes(setup.params.order - 1)), mass_(face_mass_matrix(setup.params.order - 1)) {
    const Layout& layout = setup.layout;
    const std::vector<std::int64_t> numbers = absorbing_faces(setup.topology);
    first_.push_back(0);
    for (std::int32_t block = 0; block < layout.n_blocks(); ++block) {
        for (int e = 0; e < layout.per_block; ++e) {
            const std::int64_t tet = layout.tets[std::size_t(block) * layout.per_block + e];
            for (int f = 0; f < 4 && tet >= 0; ++f) {
                const std::int64_t number = numbers[4 * tet + f];
                if (number < 0) {
                    continue;
                }
                const TetShape shape = TetShape::of(corners_of(setup.model, setup.topology, tet));
                const Solid& solid = setup.model.solids[setup.model.mesh.material[tet]];
                faces_.push_back({number, block, f, e, shape.area_m2[f], shape.normal[f],
                                  solid.density_kg_m3 * solid.vp_m_per_s(),
                                  solid.density_kg_m3 * solid.vs_m_per_s()});
            }
        }
        first_.push_back(static_cast<std::int32_t>(faces_.size()));
    }
}

}  // namespace kaname::aderdg
