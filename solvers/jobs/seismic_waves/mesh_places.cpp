// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/mesh_places.hpp"

#include <algorithm>
#include <optional>

#include "solvers/base/text.hpp"
#include "solvers/jobs/geometry/top_height.hpp"
#include "solvers/mesh/tet_topology.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::jobs {

FoundPlaces find_places(const mesh::TetMesh& mesh, std::span<const WantedPlace> wanted,
                        double tolerance_m) {
    std::vector<Vec3> points;
    std::vector<Violation> broken;
    std::optional<TopHeight> top;
    for (const WantedPlace& place : wanted) {
        Vec3 at_m = place.at_m;
        if (place.on_the_ground) {
            if (!top) {
                top.emplace(mesh);
            }
            if (const auto height = top->at(at_m.x, at_m.y)) {
                at_m.z = *height;
            } else {
                broken.push_back({place.field, place.name +
                                                   " must lie below the top of the mesh, "
                                                   "got x = " +
                                                   number(at_m.x) + " m, y = " + number(at_m.y) +
                                                   " m"});
            }
        }
        points.push_back(at_m);
    }
    FoundPlaces found;
    const std::vector<p2::Location> located = p2::locate_points(mesh, points);
    for (std::size_t k = 0; k < located.size(); ++k) {
        const p2::Location& place = located[k];
        if (!wanted[k].on_the_ground && place.distance_m > tolerance_m) {
            broken.push_back({wanted[k].field, wanted[k].name + " must lie within " +
                                                   number(tolerance_m) + " m of the mesh, got " +
                                                   place_text(points[k]) + ", " +
                                                   number(place.distance_m) + " m from it"});
        }
        found.places.push_back({place.tet, place.snapped});
        found.moved_m.push_back(norm(place.snapped - wanted[k].at_m));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return found;
}

std::vector<aderdg::PointInTet> GroundFaces::middles(const mesh::TetMesh& mesh) const {
    std::vector<aderdg::PointInTet> points;
    for (std::size_t face = 0; face < tets.size(); ++face) {
        const auto& [a, b, c] = vertices[face];
        points.push_back({tets[face], (1.0 / 3.0) * (mesh.xyz[a] + mesh.xyz[b] + mesh.xyz[c])});
    }
    return points;
}

GroundFaces find_ground(const mesh::TetMesh& mesh) {
    using Key = std::array<std::int32_t, 3>;
    const auto sorted = [](Key key) {
        std::ranges::sort(key);
        return key;
    };
    GroundFaces ground;
    std::vector<std::pair<Key, std::size_t>> keys;
    std::vector<char> on_top(mesh.xyz.size(), 0);
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == mesh.top) {
            keys.emplace_back(sorted(face.vertices), ground.vertices.size());
            ground.vertices.push_back(face.vertices);
            for (const std::int32_t vertex : face.vertices) {
                on_top[vertex] = 1;
            }
        }
    }
    std::ranges::sort(keys);
    ground.tets.assign(keys.size(), -1);
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        for (const auto& [a, b, c] : mesh::kTetFaces) {
            if (on_top[v[a]] == 0 || on_top[v[b]] == 0 || on_top[v[c]] == 0) {
                continue;
            }
            const Key key = sorted({v[a], v[b], v[c]});
            const auto found =
                std::ranges::lower_bound(keys, key, {}, &std::pair<Key, std::size_t>::first);
            if (found != keys.end() && found->first == key) {
                ground.tets[found->second] = static_cast<std::int64_t>(tet);
            }
        }
    }
    return ground;
}

}  // namespace kaname::jobs
