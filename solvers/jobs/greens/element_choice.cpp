// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/element_choice.hpp"

#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::jobs {
namespace {

using viscoelastic::Element;

// A pack in a half-space of 210,000 unknowns: 38 s, plain P2 20 s.
constexpr double kEffortOfNodalDilatation = 2.0;
// Relaxation times up to which plain P2 is at least as near to the closed form
// (docs/theory/viscoelastic.md, "Nodal dilatation").
constexpr double kLate = 4.0;

bool ends_late(const GreensJob& job) {
    const auto shortest = viscoelastic::shortest_relaxation_time_s(job.structure);
    return shortest && job.time.end_s > kLate * *shortest;
}

}  // namespace

Element element_of(const GreensJob& job, bool slips_in_viscous_rock) {
    if (job.solver.element != ElementChoice::Auto) {
        return job.solver.element == ElementChoice::P2 ? Element::P2 : Element::NodalDilatation;
    }
    const bool nodal =
        job.solver.method != SolverMethod::Multistep2018 && ends_late(job) && slips_in_viscous_rock;
    return nodal ? Element::NodalDilatation : Element::P2;
}

Element element_of(const GreensJob& job, const JobGeometry& geometry, const mesh::TetMesh& mesh) {
    return element_of(job, geometry.fault().slips_in_viscous_rock(geometry.slip(), mesh));
}

std::string element_name(Element element) {
    return text_of(element == Element::NodalDilatation ? ElementChoice::NodalDilatation
                                                       : ElementChoice::P2);
}

double effort_of(const GreensJob& job, Element element) {
    return job.solver.element == ElementChoice::Auto && element == Element::NodalDilatation
               ? kEffortOfNodalDilatation
               : 1.0;
}

}  // namespace kaname::jobs
