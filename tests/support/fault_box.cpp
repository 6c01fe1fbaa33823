// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/fault_box.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kaname::aderdg {

void add_fault(WaveModel& model, double y_m, const std::function<bool(const Vec3& middle)>& on) {
    mesh::TetMesh& mesh = model.mesh;
    std::set<std::array<std::int32_t, 3>> seen;
    for (const auto& tet : mesh.tets) {
        for (int f = 0; f < 4; ++f) {
            std::array<std::int32_t, 3> face{};
            Vec3 middle;
            bool level = true;
            for (int v = 0, c = 0; v < 4; ++v) {
                if (v != f) {
                    face[c++] = tet[v];
                    middle += (1.0 / 3.0) * mesh.xyz[tet[v]];
                    level = level && std::abs(mesh.xyz[tet[v]].y - y_m) < 1e-9;
                }
            }
            std::array<std::int32_t, 3> key = face;
            std::ranges::sort(key);
            if (!level || !on(middle) || !seen.insert(key).second) {
                continue;
            }
            const auto& x = mesh.xyz;
            if (cross(x[face[1]] - x[face[0]], x[face[2]] - x[face[0]]).y > 0.0) {
                std::swap(face[1], face[2]);
            }
            mesh.fault_faces.push_back({face, 0});
        }
    }
}

rupture::FaultPoint weakening(double normal_pa, double shear_pa, double static_friction,
                              double dynamic_friction, double weakening_slip_m) {
    rupture::FaultPoint point;
    point.traction_pa = {shear_pa, -normal_pa, 0.0};  // the normal is -y
    point.static_friction = static_friction;
    point.dynamic_friction = dynamic_friction;
    point.weakening_slip_m = weakening_slip_m;
    return point;
}

}  // namespace kaname::aderdg
