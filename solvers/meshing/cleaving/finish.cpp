// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/finish.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/meshing/cleaving/fault_sides.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {
namespace {

class Finisher {
public:
    Finisher(Complex complex, const Sheets& sheets, std::span<const FaultRequest> faults,
             const meshing::Box& box)
        : complex_(std::move(complex)),
          sheets_(sheets),
          faults_(faults),
          box_(box),
          rims_fitted_(complex_.rims_fitted) {}

    mesh::TetMesh run() {
        order_vertices();
        add_materials();
        add_boundary();
        mesh_.faults.clear();
        for (std::size_t fault = 0; fault < faults_.size(); ++fault) {
            mesh_.faults.push_back(faults_[fault].name);
            add_fault(static_cast<int>(fault));
        }
        mesh_.tets = std::move(complex_.tets);
        return std::move(mesh_);
    }

private:
    void order_vertices();
    void add_materials();
    void add_boundary();
    void add_fault(int fault);
    [[nodiscard]] mesh::Side side_of(const Triangle& face) const;
    [[nodiscard]] Vec3 centroid(const Tet& tet) const {
        return 0.25 * (complex_.xyz[tet[0]] + complex_.xyz[tet[1]] + complex_.xyz[tet[2]] +
                       complex_.xyz[tet[3]]);
    }

    Complex complex_;
    const Sheets& sheets_;
    std::span<const FaultRequest> faults_;
    meshing::Box box_;
    bool rims_fitted_ = false;
    mesh::TetMesh mesh_;
};

void Finisher::order_vertices() {
    const std::size_t n = complex_.xyz.size();
    constexpr double kInf = std::numeric_limits<double>::infinity();
    Vec3 lower{kInf, kInf, kInf}, upper{-kInf, -kInf, -kInf};
    for (const Vec3& x : complex_.xyz) {
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = std::min(lower[axis], x[axis]);
            upper[axis] = std::max(upper[axis], x[axis]);
        }
    }
    const Vec3 size = upper - lower;
    const double scale = ((1 << 21) - 1) / std::max({size.x, size.y, size.z});
    std::vector<std::pair<std::uint64_t, std::int32_t>> order(n);
    for (std::size_t v = 0; v < n; ++v) {
        const Vec3 at = scale * (complex_.xyz[v] - lower);
        order[v] = {morton(static_cast<std::uint64_t>(at.x), static_cast<std::uint64_t>(at.y),
                           static_cast<std::uint64_t>(at.z)),
                    static_cast<std::int32_t>(v)};
    }
    std::ranges::sort(order);
    std::vector<std::int32_t> number(n);
    Complex sorted;
    for (std::size_t k = 0; k < n; ++k) {
        const auto v = static_cast<std::size_t>(order[k].second);
        number[v] = static_cast<std::int32_t>(k);
        sorted.xyz.push_back(complex_.xyz[v]);
        sorted.walls.push_back(static_cast<Walls>(complex_.walls[v] & 7U));
        sorted.labels.push_back(complex_.labels[v]);
    }
    for (Tet& tet : complex_.tets) {
        for (std::int32_t& v : tet) {
            v = number[v];
        }
    }
    std::vector<std::int32_t> by_vertex(complex_.tets.size());
    std::iota(by_vertex.begin(), by_vertex.end(), 0);
    std::ranges::sort(by_vertex, {}, [&](std::int32_t t) {
        return std::pair(std::ranges::min(complex_.tets[t]), t);
    });
    for (const std::int32_t t : by_vertex) {
        sorted.tets.push_back(complex_.tets[t]);
        sorted.tet_labels.push_back(complex_.tet_labels[t]);
    }
    complex_ = std::move(sorted);
    const meshing::BoxFrame frame(box_.azimuth_rad);
    mesh_.xyz.reserve(n);
    for (const Vec3& x : complex_.xyz) {
        mesh_.xyz.push_back(frame.to_map(x.y, x.x, x.z));
    }
}

void Finisher::add_materials() {
    const earth::VolumeModel& model = sheets_.model();
    for (const earth::Volume& volume : model.volumes) {
        mesh_.volumes.push_back(volume.name);
    }
    mesh_.material.resize(complex_.tets.size());
    mesh_.volume.resize(complex_.tets.size());
#pragma omp parallel for schedule(static)
    for (std::size_t t = 0; t < complex_.tets.size(); ++t) {
        const int volume = __builtin_ctzll(complex_.tet_labels[t].volumes);
        const Vec3 x = centroid(complex_.tets[t]);
        mesh_.volume[t] = volume;
        mesh_.material[t] = model.volumes[volume].material->material_at(x.x, x.y, x.z);
    }
}

mesh::Side Finisher::side_of(const Triangle& face) const {
    using enum mesh::Side;
    const auto& x = complex_.xyz;
    const Walls walls = complex_.walls[face[0]] & complex_.walls[face[1]] & complex_.walls[face[2]];
    const auto flat = [&](int axis) {
        return (walls >> axis & 1U) != 0 && x[face[0]][axis] == x[face[1]][axis] &&
               x[face[0]][axis] == x[face[2]][axis];
    };
    if (flat(0)) {
        return x[face[0]].x < 0.0 ? West : East;
    }
    if (flat(1)) {
        return x[face[0]].y < 0.0 ? South : North;
    }
    return flat(2) && x[face[0]].z < -0.5 * box_.depth_m ? Bottom : Top;
}

void Finisher::add_boundary() {
    const auto outside = [&](std::int32_t v) {
        return complex_.walls[v] != 0 || (complex_.labels[v].volumes & kAirBit) != 0;
    };
    const std::vector<Face> found =
        collect_faces(complex_.tets, [&](const Triangle& face, std::size_t) {
            return outside(face[0]) && outside(face[1]) && outside(face[2]);
        });
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (k + 1 < found.size() && found[k].key == found[k + 1].key) {
            ++k;  // between two tets
            continue;
        }
        mesh_.boundary_faces.push_back({found[k].outward, side_of(found[k].outward)});
    }
}

void Finisher::add_fault(int fault) {
    const FaultRequest& request = faults_[fault];
    std::vector<signed char> inside(complex_.xyz.size(), -1);  // -1: not asked yet
    const auto is_inside = [&](std::int32_t v) {
        if (inside[v] < 0) {
            inside[v] = request.inside_m(mesh_.xyz[v]) >= 0.0 ? 1 : 0;
        }
        return inside[v] == 1;
    };
    std::vector<Triangle> faces = faces_between_sides(complex_, fault);
    std::erase_if(faces, [&](const Triangle& face) {
        const Vec3 middle =
            (1.0 / 3.0) * (mesh_.xyz[face[0]] + mesh_.xyz[face[1]] + mesh_.xyz[face[2]]);
        return request.sharp || (rims_fitted_ && !request.outline.empty())
                   ? request.inside_m(middle) <= 0.0
                   : !std::ranges::all_of(face, is_inside);
    });
    // Stray pieces are left out: remains of a ragged border that the outline cuts, where no node
    // could slip, and of a sheet that comes to the ground again beside it. Sizes are areas, since
    // faces are small in the wedge under the ground.
    std::vector<double> area(faces.size());
    std::ranges::transform(faces, area.begin(), [&](const Triangle& face) {
        const auto& x = mesh_.xyz;
        return norm(cross(x[face[1]] - x[face[0]], x[face[2]] - x[face[0]]));
    });
    const std::vector<bool> stray = mesh::find_pieces(faces, area).stray;
    for (std::size_t f = 0; f < faces.size(); ++f) {
        if (!stray[f]) {
            mesh_.fault_faces.push_back({faces[f], fault});
        }
    }
}

}  // namespace

mesh::TetMesh finish(Complex complex, const Sheets& sheets, std::span<const FaultRequest> faults,
                     const meshing::Box& box) {
    return Finisher(std::move(complex), sheets, faults, box).run();
}

}  // namespace kaname::cleaving
