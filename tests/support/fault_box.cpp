// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/fault_box.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/wave_cubes.hpp"

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

WaveModel graded_fault_box(int n) {
    WaveModel model = box_of_cubes({n, n, n}, {-1, -1, -1}, {1, 1, 1}, solid_of(2.0, 1.9, 1.1));
    for (Vec3& v : model.mesh.xyz) {
        v.y *= 0.2 + 0.8 * v.y * v.y;
    }
    add_fault(model, 0.0, [](const Vec3& x) { return std::abs(x.x) < 0.51 && x.z > -0.51; });
    return model;
}

void make_rupture(WaveModel& model, rupture::FrictionLaw law) {
    model.fault.laws = {law};
    model.fault.at = [law](const rupture::FaultPlace& place) {
        const bool middle = norm(place.at_m) < 0.26;
        rupture::FaultPoint p = weakening(-10.0, middle ? 6.2 : 5.2, 0.6, 0.45, 0.02);
        p.traction_pa.z = 0.3;
        p.a = 0.01;
        p.b = 0.014;
        p.state_slip_m = 0.01;
        p.weakened_friction = 0.2;
        p.weakening_rate_m_per_s = 0.1;
        p.initial_rate_m_per_s = 1e-9;
        return p;
    };
}

}  // namespace kaname::aderdg
