// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/interface_error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::cleaving {
namespace {

using Tri = std::array<std::int32_t, 3>;
constexpr int kNone = -1;
// In local sizes: farther than this from its surface a fault is blunted.
constexpr double kLeaves = 0.05;

Tri ascending(Tri face) {
    std::ranges::sort(face);
    return face;
}

/// A face that stands for a surface of the model.
struct Interface {
    Tri vertices{};
    int fault = kNone;                 ///< its fault, else
    int above = kNone, below = kNone;  ///< the volumes of its two tets; above kAir at the top
    double size_m = 0.0;
};

/// Finds them: faces all of whose vertices see two volumes, the top or a fault.
class Finder {
public:
    Finder(const mesh::TetMesh& mesh) : mesh_(mesh), marked_(mesh.xyz.size(), false) {}

    std::vector<Interface> run() {
        mark();
        collect();
        std::vector<Interface> found;
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            const bool pair = i + 1 < uses_.size() && uses_[i + 1].face == uses_[i].face;
            const std::int32_t one = uses_[i].tet;
            const std::int32_t other = pair ? uses_[i + 1].tet : one;
            Interface face{uses_[i].face, index_of(faults_, uses_[i].face), mesh_.volume[one],
                           mesh_.volume[other], 0.5 * (size_m(one) + size_m(other))};
            if (!pair) {
                face.above = earth::kAir;
                if (index_of(tops_, uses_[i].face) != kNone) {
                    found.push_back(face);
                }
            } else if (face.fault != kNone || face.above != face.below) {
                found.push_back(face);
            }
            i += pair ? 1 : 0;
        }
        return found;
    }

private:
    struct Use {
        Tri face;
        std::int32_t tet;
    };
    using Known = std::vector<std::pair<Tri, int>>;  // sorted

    void mark() {
        std::vector<std::int32_t> seen(mesh_.xyz.size(), kNone);
        for (std::size_t tet = 0; tet < mesh_.tets.size(); ++tet) {
            for (const std::int32_t vertex : mesh_.tets[tet]) {
                const std::int32_t volume = mesh_.volume[tet];
                if (seen[vertex] == kNone) {
                    seen[vertex] = volume;
                } else if (seen[vertex] != volume) {
                    marked_[vertex] = true;
                }
            }
        }
        const auto add = [&](Known& known, const Tri& vertices, int index) {
            known.emplace_back(ascending(vertices), index);
            for (const std::int32_t vertex : vertices) {
                marked_[vertex] = true;
            }
        };
        for (const mesh::FaultFace& face : mesh_.fault_faces) {
            add(faults_, face.vertices, face.fault);
        }
        for (const mesh::BoundaryFace& face : mesh_.boundary_faces) {
            if (face.side == mesh_.top) {
                add(tops_, face.vertices, 0);
            }
        }
        std::ranges::sort(faults_);
        std::ranges::sort(tops_);
    }
    void collect() {
        for (std::size_t tet = 0; tet < mesh_.tets.size(); ++tet) {
            const auto& v = mesh_.tets[tet];
            for (const auto& f : p2::kTetFaces) {
                if (marked_[v[f[0]]] && marked_[v[f[1]]] && marked_[v[f[2]]]) {
                    uses_.push_back(
                        {ascending({v[f[0]], v[f[1]], v[f[2]]}), static_cast<std::int32_t>(tet)});
                }
            }
        }
        std::ranges::sort(uses_, [](const Use& a, const Use& b) {
            return std::tie(a.face, a.tet) < std::tie(b.face, b.tet);
        });
    }
    [[nodiscard]] static int index_of(const Known& known, const Tri& face) {
        const auto found = std::ranges::lower_bound(known, face, {}, &Known::value_type::first);
        return found != known.end() && found->first == face ? found->second : kNone;
    }
    [[nodiscard]] double size_m(std::int32_t tet) const {
        return mesh::regular_edge_m(mesh::volume_of(mesh::corners_of(mesh_, tet)));
    }

    const mesh::TetMesh& mesh_;
    std::vector<bool> marked_;
    Known faults_, tops_;
    std::vector<Use> uses_;
};

/// Distance from a point to what it should lie on.
struct Distance {
    int surface = kNone;  ///< index of the model's surface
    double m = 0.0;
};

class Ruler {
public:
    Ruler(const earth::VolumeModel& model, std::span<const FaultRequest> faults, double azimuth_rad)
        : model_(model), faults_(faults), frame_(azimuth_rad) {}

    [[nodiscard]] Distance operator()(const Interface& face, const Vec3& x) const {
        if (face.fault != kNone && faults_[face.fault].surface < 0) {
            const FaultRequest::Plane& plane = *faults_[face.fault].plane;
            return {kNone, std::abs(dot(x - plane.point, normalized(plane.normal)))};
        }
        const int surface = face.fault != kNone         ? faults_[face.fault].surface
                            : face.above == earth::kAir ? 0
                                                        : kNone;
        return surface != kNone ? Distance{surface, std::abs(signed_m(surface, x))}
                                : between(face, x);
    }

private:
    /// Ways are looked for among so many of the nearest surfaces.
    static constexpr int kMostNear = 8;
    /// Which of the nearest surfaces to cross.
    using Crossed = std::uint32_t;

    [[nodiscard]] double signed_m(int surface, const Vec3& x) const {
        const auto at =
            model_.surfaces[surface].height.slope(frame_.b(x.x, x.y), frame_.a(x.x, x.y));
        return (x.z - at.z) / std::sqrt(1.0 + at.dz_du * at.dz_du + at.dz_dv * at.dz_dv);
    }

    [[nodiscard]] Distance between(const Interface& face, const Vec3& x) const {
        const auto n = static_cast<int>(model_.surfaces.size());
        std::array<double, earth::kMaxSurfaces> distance{};
        std::array<int, earth::kMaxSurfaces> order{};
        earth::SideMask sides = 0;
        for (int k = 0; k < n; ++k) {
            const double d = signed_m(k, x);
            distance[k] = std::abs(d);
            sides |= static_cast<earth::SideMask>(d > 0.0) << k;
        }
        std::iota(order.begin(), order.begin() + n, 0);
        const int near = std::min(n, kMostNear);
        std::partial_sort(order.begin(), order.begin() + near, order.begin() + n,
                          [&](int a, int b) { return distance[a] < distance[b]; });
        const Crossed crossed = way(face.above, sides, std::span(order).first(near)) |
                                way(face.below, sides, std::span(order).first(near));
        Distance nearest{kNone, std::numeric_limits<double>::max()};
        Distance farthest;
        for (int rank = 0; rank < near; ++rank) {
            if ((crossed >> static_cast<unsigned>(rank) & 1U) != 0) {
                const int k = order[rank];
                nearest = distance[k] < nearest.m ? Distance{k, distance[k]} : nearest;
                farthest = distance[k] >= farthest.m ? Distance{k, distance[k]} : farthest;
            }
        }
        return farthest.m <= face.size_m ? nearest : farthest;
    }

    /// The fewest of the nearest surfaces whose crossing leads into the volume, no farther ones
    /// than needed; all of them where none does.
    [[nodiscard]] Crossed way(int volume, earth::SideMask sides, std::span<const int> order) const {
        if (model_.volume_of(sides) == volume) {
            return 0;
        }
        for (std::size_t farthest = 0; farthest < order.size(); ++farthest) {
            Crossed best = 0;
            const Crossed last = Crossed{1} << farthest;
            for (Crossed others = 0; others < last; ++others) {
                const Crossed crossed = others | last;
                earth::SideMask there = sides;
                for (std::size_t rank = 0; rank <= farthest; ++rank) {
                    if ((crossed >> rank & 1U) != 0) {
                        there ^= earth::SideMask{1} << order[rank];
                    }
                }
                if (model_.volume_of(there) == volume &&
                    (best == 0 || std::popcount(crossed) < std::popcount(best))) {
                    best = crossed;
                }
            }
            if (best != 0) {
                return best;
            }
        }
        return (Crossed{1} << order.size()) - 1;
    }

    const earth::VolumeModel& model_;
    std::span<const FaultRequest> faults_;
    meshing::BoxFrame frame_;
};

/// Holds the measures of one face.
struct Measured {
    std::size_t row = 0;  ///< surfaces of the model, then faults
    double relative = 0.0, m = 0.0, area_m2 = 0.0;
    bool suited = false;
    Vec3 centroid;
};

/// Returns true if all layers within size_m above or below x (box frame) are at least kSuits size_m
/// thick.
bool size_suits(const earth::VolumeModel& model, const Vec3& x, double size_m) {
    const earth::Column column(model, earth::Column::heights_at(model, x.x, x.y));
    for (int r = 0; r < column.runs; ++r) {
        const earth::Column::Run& run = column.run[r];
        const double bottom_m = std::max(run.bottom_m, -model.depth_m);
        if (run.volume != earth::kAir && run.top_m > bottom_m && run.top_m > x.z - size_m &&
            bottom_m < x.z + size_m && run.top_m - bottom_m < kSuits * size_m) {
            return false;
        }
    }
    return true;
}

Measured measure(const Interface& face, const mesh::TetMesh& mesh, const Ruler& ruler,
                 std::size_t n_surfaces) {
    const Vec3& a = mesh.xyz[face.vertices[0]];
    const Vec3& b = mesh.xyz[face.vertices[1]];
    const Vec3& c = mesh.xyz[face.vertices[2]];
    Measured result;
    result.centroid = 1.0 / 3.0 * (a + b + c);
    const Distance middle = ruler(face, result.centroid);
    result.m = middle.m;
    for (const Vec3& x : {a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)}) {
        result.m = std::max(result.m, ruler(face, x).m);
    }
    result.relative = result.m / face.size_m;
    result.area_m2 = 0.5 * norm(cross(b - a, c - a));
    result.row = face.fault != kNone ? n_surfaces + static_cast<std::size_t>(face.fault)
                                     : static_cast<std::size_t>(middle.surface);
    return result;
}

/// Summary of relative distances.
InterfaceError::Summary summary_of(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    std::ranges::sort(values);
    return {std::ssize(values),
            std::reduce(values.begin(), values.end()) / static_cast<double>(values.size()),
            values[static_cast<std::size_t>(0.99 * static_cast<double>(values.size() - 1) + 0.5)],
            values.back()};
}

void check(const mesh::TetMesh& mesh, const earth::VolumeModel& model,
           std::span<const FaultRequest> faults) {
    const auto fail = [](const std::string& rule) {
        throw Error(ErrorCode::InvalidArgument, "the mesh does not belong to the model: " + rule);
    };
    if (mesh.volume.size() != mesh.tets.size() || mesh.volumes.size() != model.volumes.size()) {
        fail("it has " + std::to_string(mesh.volumes.size()) + " volumes, the model " +
             std::to_string(model.volumes.size()));
    }
    if (mesh.faults.size() != faults.size() && !mesh.fault_faces.empty()) {
        fail("it has " + std::to_string(mesh.faults.size()) + " faults, not " +
             std::to_string(faults.size()));
    }
    for (const FaultRequest& fault : faults) {
        if (fault.surface >= static_cast<int>(model.surfaces.size()) ||
            (fault.surface < 0 && !fault.plane)) {
            fail("fault '" + fault.name + "' has neither a surface of the model nor a plane");
        }
    }
}

}  // namespace

InterfaceError measure_interface_error(const mesh::TetMesh& mesh, const earth::VolumeModel& model,
                                       std::span<const FaultRequest> faults, double azimuth_rad,
                                       const SizeField* sizes) {
    check(mesh, model, faults);
    std::vector<Interface> faces = Finder(mesh).run();
    const Ruler ruler(model, faults, azimuth_rad);
    const meshing::BoxFrame frame(azimuth_rad);
    if (sizes != nullptr) {
        for (Interface& face : faces) {
            const auto& [a, b, c] = face.vertices;
            const Vec3 x = 1.0 / 3.0 * (mesh.xyz[a] + mesh.xyz[b] + mesh.xyz[c]);
            face.size_m = sizes->at({frame.b(x.x, x.y), frame.a(x.x, x.y), x.z});
        }
    }
    std::vector<Measured> measured(faces.size());
    const std::int64_t n = std::ssize(faces);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        measured[i] = measure(faces[i], mesh, ruler, model.surfaces.size());
        const Vec3& x = measured[i].centroid;
        measured[i].suited =
            size_suits(model, {frame.b(x.x, x.y), frame.a(x.x, x.y), x.z}, faces[i].size_m);
    }

    InterfaceError error;
    const std::size_t n_rows = model.surfaces.size() + faults.size();
    std::vector<InterfaceError::Surface> rows(n_rows);
    std::vector<std::vector<double>> relative(n_rows), suited(n_rows);
    std::vector<double> all, all_suited;
    for (const Measured& face : measured) {
        InterfaceError::Surface& row = rows[face.row];
        relative[face.row].push_back(face.relative);
        all.push_back(face.relative);
        if (face.suited) {
            suited[face.row].push_back(face.relative);
            all_suited.push_back(face.relative);
        }
        row.max_m = std::max(row.max_m, face.m);
        if (face.row >= model.surfaces.size() && face.relative > kLeaves) {
            row.blunted_m2 += face.area_m2;
        }
        if (relative[face.row].size() == 1 || face.relative > row.max) {
            row.max = face.relative;
            row.worst = face.centroid;
        }
    }
    for (std::size_t k = 0; k < n_rows; ++k) {
        if (!relative[k].empty()) {
            static_cast<InterfaceError::Summary&>(rows[k]) = summary_of(std::move(relative[k]));
            rows[k].suited = summary_of(std::move(suited[k]));
            rows[k].is_fault = k >= model.surfaces.size();
            rows[k].name =
                rows[k].is_fault ? faults[k - model.surfaces.size()].name : model.surfaces[k].name;
            error.surfaces.push_back(std::move(rows[k]));
        }
    }
    error.all = summary_of(std::move(all));
    error.suited = summary_of(std::move(all_suited));
    return error;
}

}  // namespace kaname::cleaving
