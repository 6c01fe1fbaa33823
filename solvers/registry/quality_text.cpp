// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/quality_text.hpp"

#include <cstdio>

namespace kaname::registry {
namespace {

template <class... Args>
void add_line(std::string& text, const char* format, Args... args) {
    char line[256];
    std::snprintf(line, sizeof line, format, args...);
    text += line;
    text += '\n';
}

}  // namespace

std::string quality_text(const mesh::QualityReport& quality,
                         const earth::LayeredStructure& structure) {
    std::string text;
    add_line(text, "mesh: %lld vertices, %lld tets, %lld fault faces, edges %.3g to %.3g km",
             static_cast<long long>(quality.vertices), static_cast<long long>(quality.tets),
             static_cast<long long>(quality.fault_faces), quality.min_edge_m / 1e3,
             quality.max_edge_m / 1e3);
    add_line(text, "dihedral angles: %.2f to %.2f degrees; 99.9 %% of tets above %.2f",
             quality.min_dihedral_deg, quality.max_dihedral_deg, quality.p001_min_dihedral_deg);
    for (std::size_t m = 0; m < quality.volume_per_material.size(); ++m) {
        add_line(text, "volume of %s: %.4g km3", structure.materials[m].name.c_str(),
                 quality.volume_per_material[m] / 1e9);
    }
    if (!quality.worst.empty()) {
        const auto& worst = quality.worst.front();
        add_line(text, "worst tet: %.2f degrees at x %.1f y %.1f z %.1f km", worst.min_dihedral_deg,
                 worst.centroid.x / 1e3, worst.centroid.y / 1e3, worst.centroid.z / 1e3);
    }
    return text;
}

}  // namespace kaname::registry
