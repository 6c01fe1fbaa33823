// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/complex.hpp"

namespace kaname::cleaving {

void compact(Complex& complex) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < complex.tets.size(); ++t) {
        if (complex.tets[t][0] >= 0) {
            complex.tets[kept] = complex.tets[t];
            complex.tet_labels[kept++] = complex.tet_labels[t];
        }
    }
    complex.tets.resize(kept);
    complex.tet_labels.resize(kept);
    std::vector<std::int32_t> number(complex.xyz.size(), -1);
    for (const Tet& tet : complex.tets) {
        for (const std::int32_t v : tet) {
            number[v] = 0;
        }
    }
    std::int32_t next = 0;
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] == 0) {
            complex.xyz[next] = complex.xyz[v];
            complex.walls[next] = complex.walls[v];
            complex.on[next] = complex.on[v];
            complex.labels[next] = complex.labels[v];
            number[v] = next++;
        }
    }
    complex.xyz.resize(next);
    complex.walls.resize(next);
    complex.on.resize(next);
    complex.labels.resize(next);
    for (Tet& tet : complex.tets) {
        for (std::int32_t& v : tet) {
            v = number[v];
        }
    }
}

}  // namespace kaname::cleaving
