// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/outflow.hpp"

#include <cmath>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/face_tables.hpp"

namespace kaname::aderdg {

Outflow::Outflow(const EngineSetup& setup)
    : modes_(face_modes(setup.params.order - 1)),
      lanes_(setup.lanes),
      mass_(face_mass_matrix(setup.params.order - 1)) {
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
                Outlet& outlet = outlets_.emplace_back();
                outlet.number = number;
                outlet.record = layout.own_record(block, f, e);
                for (int d = 0; d < 3; ++d) {
                    outlet.normal[d] = shape.normal[f][d];
                }
                outlet.zp = solid.density_kg_m3 * solid.vp_m_per_s();
                outlet.zs = solid.density_kg_m3 * solid.vs_m_per_s();
                outlet.step_s = std::ldexp(setup.step_s, layout.cluster_of(block));
                outlet.area_m2 = shape.area_m2[f];
            }
        }
        first_.push_back(static_cast<std::int32_t>(outlets_.size()));
    }
}

std::vector<double> Outflow::energies(std::vector<std::int64_t>& numbers) const {
    std::vector<double> energy_j;
    for (const Outlet& outlet : outlets_) {
        numbers.push_back(outlet.number);
        energy_j.push_back(outlet.energy_j);
    }
    return energy_j;
}

void Outflow::set_energies(std::span<const double> energy_j) {
    for (Outlet& outlet : outlets_) {
        outlet.energy_j = energy_j[outlet.number];
    }
}

}  // namespace kaname::aderdg
