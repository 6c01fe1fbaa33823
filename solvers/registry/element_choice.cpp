// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/element_choice.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "solvers/viscoelastic/relaxation.hpp"

namespace kaname::registry {
namespace {

using viscoelastic::Element;

// A pack in a half-space of 210,000 unknowns: 38 s, plain P2 20 s.
constexpr double kEffortOfNodalDilatation = 2.0;
// Relaxation times up to which plain P2 is at least as near to the closed form
// (docs/theory/viscoelastic.md, "Nodal dilatation").
constexpr double kLate = 4.0;

bool ends_late(const GreensJob& job) {
    const auto shortest = viscoelastic::shortest_relaxation_time_s(job.structure);
    return shortest && job.end_s > kLate * *shortest;
}

/// A face of a fault bounds a viscous element.
bool relaxes_at_fault(const mesh::TetMesh& mesh, std::span<const earth::Material> materials) {
    std::set<std::array<std::int32_t, 3>> faces;
    for (const auto& face : mesh.fault_faces) {
        auto sorted = face.vertices;
        std::ranges::sort(sorted);
        faces.insert(sorted);
    }
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        if (!materials[mesh.material[tet]].viscosity_pa_s) {
            continue;
        }
        for (int skipped = 0; skipped < 4; ++skipped) {
            std::array<std::int32_t, 3> face{};
            for (int k = 0; k < 3; ++k) {
                face[k] = mesh.tets[tet][(skipped + 1 + k) % 4];
            }
            std::ranges::sort(face);
            if (faces.contains(face)) {
                return true;
            }
        }
    }
    return false;
}

template <class Relaxes>
Element choose(const GreensJob& job, const Relaxes& relaxes) {
    if (job.element != "auto") {
        return viscoelastic::element_from_name(job.element);
    }
    const bool nodal = job.method != "multistep2018" && ends_late(job) && relaxes();
    return nodal ? Element::NodalDilatation : Element::P2;
}

}  // namespace

Element element_of(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh) {
    return choose(job, [&] {
        return setup.mesh_file() != nullptr ? relaxes_at_fault(mesh, job.structure.materials)
                                            : setup.slips_in_viscous_rock();
    });
}

Element element_of(const GreensJob& job, const Setup& setup) {
    return choose(job,
                  [&] { return setup.mesh_file() == nullptr && setup.slips_in_viscous_rock(); });
}

std::string element_name(Element element) {
    return element == Element::NodalDilatation ? "nodal_dilatation" : "p2";
}

double effort_of(const GreensJob& job, Element element) {
    return job.element == "auto" && element == Element::NodalDilatation ? kEffortOfNodalDilatation
                                                                        : 1.0;
}

}  // namespace kaname::registry
