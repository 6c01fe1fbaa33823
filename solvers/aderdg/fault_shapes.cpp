// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/fault_shapes.hpp"

namespace kaname::aderdg {
namespace {

struct SolidsOfFace {
    const Solid &minus, &plus;
};

SolidsOfFace solids_of(const WaveModel& model, const TetTopology& topology,
                       const Layout::Condition& minus) {
    const std::int64_t beyond = topology.beyond[minus.tet][minus.face].tet;
    return {model.solids[model.mesh.material[minus.tet]],
            model.solids[model.mesh.material[beyond]]};
}

/// Z+ Z-/(Z+ + Z-)
double joined(double z_minus, double z_plus) {
    return z_minus * z_plus / (z_minus + z_plus);
}

}  // namespace

rupture::FaultFaceShape fault_shape(const WaveModel& model, const TetTopology& topology,
                                    const Layout::Condition& minus) {
    const auto [here, there] = solids_of(model, topology, minus);
    const std::array<Vec3, 4> corners = corners_of(model, topology, minus.tet);
    rupture::FaultFaceShape shape;
    shape.face = minus.fault_face;
    shape.fault = model.mesh.fault_faces[minus.fault_face].fault;
    for (int v = 0, c = 0; v < 4; ++v) {
        if (v != minus.face) {
            shape.corners_m[c++] = corners[v];
        }
    }
    shape.normal = TetShape::of(corners).normal[minus.face];
    shape.shear_impedance =
        joined(here.density_kg_m3 * here.vs_m_per_s(), there.density_kg_m3 * there.vs_m_per_s());
    shape.rigidity_pa = 2.0 * joined(here.mu_pa, there.mu_pa);
    return shape;
}

FaultFaceTerms FaultFaceTerms::of(const WaveModel& model, const TetTopology& topology,
                                  const Layout::Condition& minus) {
    const auto [here, there] = solids_of(model, topology, minus);
    const Vec3 normal = TetShape::of(corners_of(model, topology, minus.tet)).normal[minus.face];
    const rupture::FaultFrame frame = rupture::FaultFrame::of(normal);
    FaultFaceTerms terms{};
    for (int d = 0; d < 3; ++d) {
        terms.axes[0][d] = normal[d];
        terms.axes[1][d] = frame.strike[d];
        terms.axes[2][d] = frame.dip[d];
    }
    const double minus_z[2] = {here.density_kg_m3 * here.vp_m_per_s(),
                               here.density_kg_m3 * here.vs_m_per_s()};
    const double plus_z[2] = {there.density_kg_m3 * there.vp_m_per_s(),
                              there.density_kg_m3 * there.vs_m_per_s()};
    for (int w = 0; w < 2; ++w) {
        terms.eta[w] = joined(minus_z[w], plus_z[w]);
        terms.per_minus[w] = 1.0 / minus_z[w];
        terms.per_plus[w] = 1.0 / plus_z[w];
    }
    return terms;
}

}  // namespace kaname::aderdg
