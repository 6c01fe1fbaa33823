// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/buoyancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

constexpr double kMassDivisor = 180.0;
constexpr double kRowSumRounding = 1e-12;
constexpr double kSeaLevel_m = -1.0;  // below it, with room for rounding

using Corners = std::array<std::int32_t, 3>;

Corners face_of(const std::array<std::int32_t, 4>& tet, int face) {
    const auto& v = mesh::kTetFaces[face];
    return {tet[v[0]], tet[v[1]], tet[v[2]]};
}

/// Vertices that elements of different densities share, or that the outside touches: only faces
/// between such vertices can carry anything.
std::vector<std::uint8_t> touched(const mesh::TetMesh& mesh, std::span<const double> density) {
    constexpr double kNone = -1.0;
    std::vector<double> seen(mesh.xyz.size(), kNone);
    std::vector<std::uint8_t> marked(mesh.xyz.size(), 0);
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const double rho = density[mesh.material[tet]];
        for (const std::int32_t v : mesh.tets[tet]) {
            marked[v] |= static_cast<std::uint8_t>(seen[v] != kNone && seen[v] != rho);
            seen[v] = rho;
        }
    }
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        for (const std::int32_t v : face.vertices) {
            marked[v] = 1;
        }
    }
    return marked;
}

/// A face as its element sees it.
struct FaceSide {
    Corners key;  ///< its vertices, ascending
    std::int32_t tet;
    int face;
};

/// Sides of faces between marked vertices, the two of one face side by side.
std::vector<FaceSide> candidate_sides(const mesh::TetMesh& mesh, std::span<const double> density) {
    const std::vector<std::uint8_t> marked = touched(mesh, density);
    std::vector<FaceSide> sides;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        for (int face = 0; face < 4; ++face) {
            Corners key = face_of(mesh.tets[tet], face);
            if (std::ranges::all_of(key, [&](std::int32_t v) { return marked[v] != 0; })) {
                std::ranges::sort(key);
                sides.push_back({key, static_cast<std::int32_t>(tet), face});
            }
        }
    }
    std::ranges::sort(sides, {},
                      [](const FaceSide& side) { return std::pair(side.key, side.tet); });
    return sides;
}

/// Twice the area times the normal's vertical part [m2], outward.
double twice_plan_area(const mesh::TetMesh& mesh, const FaceSide& side) {
    const Corners v = face_of(mesh.tets[side.tet], side.face);
    return cross(mesh.xyz[v[1]] - mesh.xyz[v[0]], mesh.xyz[v[2]] - mesh.xyz[v[0]]).z;
}

bool under_water(const mesh::TetMesh& mesh, const FaceSide& side) {
    return std::ranges::all_of(side.key,
                               [&](std::int32_t v) { return mesh.xyz[v].z < kSeaLevel_m; });
}

/// Returns the terms that faces add to the matrix, by row and column; terms of one entry are in the
/// order of the faces.
std::vector<Buoyancy::Entry> find_entries(std::span<const Buoyancy::Face> faces,
                                          const p2::LocalMesh& local) {
    std::vector<Buoyancy::Entry> entries;
    for (const Buoyancy::Face& face : faces) {
        const auto nodes = p2::face_nodes(face.face);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                if (kFaceMass[i][j] != 0.0) {
                    entries.push_back({local.conn[face.elem][nodes[i]],
                                       local.conn[face.elem][nodes[j]],
                                       face.weight * kFaceMass[i][j]});
                }
            }
        }
    }
    std::ranges::stable_sort(entries, {},
                             [](const auto& entry) { return std::pair(entry.node, entry.col); });
    return entries;
}

}  // namespace

Buoyancy::Buoyancy(const mesh::TetMesh& mesh, const p2::LocalMesh& local,
                   std::span<const std::int32_t> element_of,
                   std::span<const earth::Material> materials, const Scales& scales) {
    std::vector<double> density;
    for (const earth::Material& material : materials) {
        density.push_back(material.density_kg_m3);
    }
    // A stiffness is in units of modulus_pa length_m.
    const double scale = kGravity_m_s2 / (scales.modulus_pa * scales.length_m) / kMassDivisor;
    const std::vector<FaceSide> sides = candidate_sides(mesh, density);
    for (std::size_t k = 0; k < sides.size(); ++k) {
        const FaceSide& side = sides[k];
        const double rho = density[mesh.material[side.tet]];
        const double plan_m2 = 0.5 * twice_plan_area(mesh, side);
        const std::int32_t elem = element_of[side.tet];
        const auto twin = [&](std::size_t other) { return sides[other].key == side.key; };
        const bool after = k + 1 < sides.size() && twin(k + 1);
        if (after || (k > 0 && twin(k - 1))) {
            const FaceSide& other = sides[after ? k + 1 : k - 1];
            const double half = 0.5 * (rho - density[mesh.material[other.tet]]);
            if (elem >= 0 && half != 0.0) {
                faces_.push_back({elem, side.face, scale * half * plan_m2});
            }
        } else if (elem >= 0 && plan_m2 > 0.0) {
            const double contrast = rho - (under_water(mesh, side) ? kSeaWater_kg_m3 : 0.0);
            faces_.push_back({elem, side.face, scale * contrast * plan_m2});
        }
    }
    std::ranges::sort(faces_, {}, [](const Face& face) { return std::pair(face.elem, face.face); });

    add_rows(find_entries(faces_, local));
}

void Buoyancy::add_rows(const std::vector<Entry>& entries) {
    for (auto at = entries.begin(); at != entries.end();) {
        const std::int32_t node = at->node;
        double sum = 0.0;
        double size = 0.0;
        while (at != entries.end() && at->node == node) {
            const std::int32_t col = at->col;
            double val = 0.0;
            for (; at != entries.end() && at->node == node && at->col == col; ++at) {
                val += at->val;
            }
            rows_.col.push_back(col);
            rows_.val.push_back(val);
            sum += val;
            size += std::abs(val);
        }
        rows_.node.push_back(node);
        rows_.ptr.push_back(static_cast<std::int32_t>(rows_.col.size()));
        if (std::abs(sum) > kRowSumRounding * size) {  // vertices have none
            lumped_.node.push_back(node);
            lumped_.col.push_back(node);
            lumped_.val.push_back(sum);
            lumped_.ptr.push_back(static_cast<std::int32_t>(lumped_.col.size()));
        }
    }
}

template <class T>
BuoyancyRows<T>::BuoyancyRows(const Buoyancy::Rows& rows, device::Queue& queue, T sign)
    : node_(std::span<const std::int32_t>(rows.node), queue),
      ptr_(std::span<const std::int32_t>(rows.ptr), queue),
      col_(std::span<const std::int32_t>(rows.col), queue) {
    std::vector<T> val;
    for (const double value : rows.val) {
        val.push_back(sign * static_cast<T>(value));
    }
    val_ = {std::span<const T>(val), queue};
}

template class BuoyancyRows<float>;
template class BuoyancyRows<double>;

void buoyant_offset_force(const Buoyancy& buoyancy, const p2::LocalMesh& mesh,
                          std::span<const ElementOffset> offsets, device::View<double> f,
                          device::Queue& queue) {
    std::map<std::int32_t, std::array<double, kLanes>>
        force;  // forces by vertical degree of freedom
    auto offset = offsets.begin();
    for (const Buoyancy::Face& face : buoyancy.faces()) {
        offset = std::find_if(offset, offsets.end(),
                              [&](const ElementOffset& of) { return of.elem >= face.elem; });
        if (offset == offsets.end()) {
            break;
        }
        if (offset->elem != face.elem) {
            continue;
        }
        const auto nodes = p2::face_nodes(face.face);
        for (int i = 0; i < 6; ++i) {
            auto& at = force[mesh.conn[face.elem][nodes[i]] * 3 + 2];
            for (int j = 0; j < 6; ++j) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    at[lane] += offset->moves(static_cast<std::size_t>(lane))
                                    ? face.weight * kFaceMass[i][j] * offset->s[nodes[j]][2][lane]
                                    : 0.0;
                }
            }
        }
    }
    if (force.empty()) {
        return;
    }
    std::vector<std::int32_t> dof;
    std::vector<double> values;
    for (const auto& [at, lanes] : force) {
        dof.push_back(at);
        values.insert(values.end(), lanes.begin(), lanes.end());
    }
    const device::Buffer<std::int32_t> items(std::span<const std::int32_t>(dof), queue);
    const device::Buffer<double> added(std::span<const double>(values), queue);
    device::Buffer<double> packed(values.size(), queue);
    lanes::gather_items<double>(items, kLanes, device::View<const double>(f), packed, queue);
    lanes::axpby(lanes::all_lanes(-1.0), added, lanes::all_lanes(1.0), packed, queue);
    lanes::scatter_items<double>(items, kLanes, packed, f, queue);
}

}  // namespace kaname::viscoelastic
