// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/fault_faces.hpp"

#include <algorithm>

namespace kaname::cleaving {

std::vector<Triangle> faces_between_sides(const Complex& complex, int fault) {
    const std::uint64_t plus = Labels::plus(fault), minus = Labels::minus(fault);
    const auto take = [&](const Triangle& face, std::size_t t) {
        const std::uint64_t sides = complex.tet_labels[t].sides & (plus | minus);
        return (sides == plus || sides == minus) && std::ranges::all_of(face, [&](std::int32_t v) {
                   return (complex.labels[v].sides & (plus | minus)) == (plus | minus);
               });
    };
    const std::vector<Face> found = collect_faces(complex.tets, take);
    std::vector<Triangle> between;
    for (std::size_t k = 0; k + 1 < found.size(); ++k) {
        if (found[k].key != found[k + 1].key) {
            continue;
        }
        const bool first_plus = (complex.tet_labels[found[k].tet].sides & plus) != 0;
        const bool second_plus = (complex.tet_labels[found[k + 1].tet].sides & plus) != 0;
        if (first_plus != second_plus) {
            // The normal of the minus side's face points out of it, to the plus side.
            between.push_back(found[first_plus ? k + 1 : k].outward);
        }
        ++k;
    }
    return between;
}

}  // namespace kaname::cleaving
