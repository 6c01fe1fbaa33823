// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "tests/support/lattice/base_lattice.hpp"
#include "tests/support/lattice/column_levels.hpp"
#include "tests/support/lattice/lattices.hpp"
#include "tests/support/lattice/map_area.hpp"
#include "tests/support/lattice/tet_faces.hpp"

namespace kaname::meshing {
namespace {

constexpr std::int64_t kMaxVertices = std::numeric_limits<std::int32_t>::max();
constexpr double kOnRim = 1e-6;          // in sizes at the fault: still inside the window
constexpr double kClosed = 0.1;          // in sizes at the fault: interface this shallow ruptures
constexpr double kDeepest = 0.9;         // share of the box's depth: the interface stays above
constexpr double kThinnestLayer = 0.06;  // share of the cell size, far from the fault
constexpr int kMaxLayers = 1000;

/// One vertical line of vertices.
struct Column {
    Vec3 top;
    double cell_m = 0.0;
    double interface_depth_m = 0.0;
    // Depth of the interface level; 0: closed, the levels above are one vertex.
    double level_depth_m = 0.0;
    std::int32_t first_vertex = 0;
    VertexMask sides = 0;
    bool in_window = false;
};

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

class ColumnLattice final : public MeshSource {
public:
    explicit ColumnLattice(ColumnLatticeParams params)
        : p_(std::move(params)), frame_(p_.box.azimuth_rad) {
        check();
        const MapArea area(*p_.fault, p_.window);
        const auto size = [&](double b, double a) {
            const Vec3 at = frame_.to_map(a, b, 0.0);
            return std::min(p_.sizes.far_m,
                            p_.sizes.at_fault_m + p_.sizes.growth * area.distance(at.x, at.y));
        };
        base_ = bisect_rectangle(p_.box.size_east_m, p_.box.size_north_m, size,
                                 kMaxVertices / (p_.sizes.layers_above + p_.sizes.layers_below));
        for (const auto& [b, a] : base_.points) {
            columns_.push_back(make_column(b, a, size(b, a)));
        }
        count();
    }

    [[nodiscard]] Count estimate() const override { return count_; }
    [[nodiscard]] mesh::TetMesh build(const Progress& progress) const override;

private:
    void check() const;
    [[nodiscard]] Column make_column(double b, double a, double cell) const;
    void count();
    [[nodiscard]] int levels() const { return p_.sizes.layers_above + p_.sizes.layers_below + 1; }
    [[nodiscard]] static bool closed(const Column& column) { return column.level_depth_m == 0.0; }
    [[nodiscard]] std::int32_t vertex(const Column& column, int level) const {
        const int merged = closed(column) ? p_.sizes.layers_above : 0;
        return column.first_vertex + std::max(0, level - merged);
    }
    void add_vertices(const Column& column, mesh::TetMesh& mesh,
                      std::vector<VertexMask>& mask) const;
    void add_prism(std::array<const Column*, 3> columns, int level, mesh::TetMesh& mesh) const;

    ColumnLatticeParams p_;
    BoxFrame frame_;
    BaseLattice base_;
    std::vector<Column> columns_;
    Count count_;
};

void ColumnLattice::check() const {
    check_box(p_.box);
    check_sizes(p_.sizes);
    check_window(p_.window);
    for (const int layers : {p_.sizes.layers_above, p_.sizes.layers_below}) {
        if (layers < 1 || layers > kMaxLayers) {
            refuse("sizes.layers_above and sizes.layers_below must be in 1.." +
                   std::to_string(kMaxLayers) + ", got " + std::to_string(layers));
        }
    }
    if (p_.fault == nullptr || !p_.interface_depth_m) {
        refuse("a column lattice needs an interface and a fault on it");
    }
}

Column ColumnLattice::make_column(double b, double a, double cell) const {
    Column column;
    column.top = frame_.to_map(a, b, 0.0);
    column.cell_m = cell;
    const double depth = p_.interface_depth_m(column.top.x, column.top.y);
    const bool reaches_surface = p_.surface_rupture && depth <= kClosed * p_.sizes.at_fault_m;
    if (!(depth > 0.0 || reaches_surface) || !(depth <= kDeepest * p_.box.depth_m)) {
        std::ostringstream text;
        text << "interface depth at (" << column.top.x << ", " << column.top.y
             << ") m must be in 0.." << kDeepest * p_.box.depth_m
             << " m (0.9 of the box's depth), is " << depth;
        refuse(text.str());
    }
    column.interface_depth_m = reaches_surface ? 0.0 : depth;
    // Where the cells outgrow a shallow interface the level passes below it, for layers thinner
    // than 1/17 of their cell ruin the solver's convergence; there centroids decide the material.
    const double thinnest =
        kThinnestLayer * p_.sizes.layers_above * (cell - 2 * p_.sizes.at_fault_m);
    column.level_depth_m =
        reaches_surface ? 0.0 : std::max(depth, std::min(thinnest, kDeepest * p_.box.depth_m));
    using mesh::Side;
    column.sides |= a == -p_.box.size_north_m / 2 ? on_side(Side::South) : 0;
    column.sides |= a == p_.box.size_north_m / 2 ? on_side(Side::North) : 0;
    column.sides |= b == -p_.box.size_east_m / 2 ? on_side(Side::West) : 0;
    column.sides |= b == p_.box.size_east_m / 2 ? on_side(Side::East) : 0;
    // Cells are this small only within about one of them of the window.
    if (cell <= (1.0 + p_.sizes.growth) * p_.sizes.at_fault_m) {
        const double same = kOnRim * p_.sizes.at_fault_m;
        const auto at =
            p_.fault->coordinates({column.top.x, column.top.y, 0.0 - column.level_depth_m});
        column.in_window = at.s > p_.window.s_min - same && at.s < p_.window.s_max + same &&
                           at.d > p_.window.d_min - same && at.d < p_.window.d_max + same;
    }
    return column;
}

void ColumnLattice::count() {
    std::int64_t vertices = 0;
    for (Column& column : columns_) {
        column.first_vertex = static_cast<std::int32_t>(std::min(vertices, kMaxVertices));
        vertices += levels() - (closed(column) ? p_.sizes.layers_above : 0);
    }
    if (vertices > kMaxVertices) {
        refuse("sizes must give less than 2^31 vertices, gave " + std::to_string(vertices));
    }
    count_.vertices = vertices;
    for (const auto& triangle : base_.triangles) {
        // A prism has one tetrahedron for each of its columns that is not closed.
        for (const std::int32_t corner : triangle) {
            count_.tets +=
                p_.sizes.layers_below + (closed(columns_[corner]) ? 0 : p_.sizes.layers_above);
        }
    }
}

void ColumnLattice::add_vertices(const Column& column, mesh::TetMesh& mesh,
                                 std::vector<VertexMask>& mask) const {
    const ColumnLayout layout = {column.interface_depth_m, column.level_depth_m,
                                 p_.box.depth_m,           column.cell_m,
                                 p_.sizes.layers_above,    p_.sizes.layers_below};
    auto depths = column_levels(layout);
    snap_levels(layout, p_.structure, depths);
    for (int level = closed(column) ? p_.sizes.layers_above : 0; level < levels(); ++level) {
        mesh.xyz.push_back({column.top.x, column.top.y, 0.0 - depths[level]});
        VertexMask bits = column.sides;
        bits |= depths[level] == 0.0 ? on_side(mesh::Side::Top) : 0;
        bits |= level + 1 == levels() ? on_side(mesh::Side::Bottom) : 0;
        bits |= level == p_.sizes.layers_above && column.in_window ? kOnFault : 0;
        mask.push_back(bits);
    }
}

void ColumnLattice::add_prism(std::array<const Column*, 3> columns, int level,
                              mesh::TetMesh& mesh) const {
    // The shorter diagonal of a quad between two columns is that from the lower end of the higher
    // interval to the upper end of the lower one. Ranking columns by mid-height chooses it for all
    // quads, agrees between neighbours and can never go round in a circle.
    const auto height = [&](const Column& column) {
        return mesh.xyz[vertex(column, level)].z + mesh.xyz[vertex(column, level + 1)].z;
    };
    std::sort(columns.begin(), columns.end(), [&](const Column* one, const Column* other) {
        return std::pair(-height(*one), one->first_vertex) <
               std::pair(-height(*other), other->first_vertex);
    });
    std::array<std::int32_t, 3> upper{};
    std::array<std::int32_t, 3> lower{};
    for (int rank = 0; rank < 3; ++rank) {
        upper[rank] = vertex(*columns[rank], level);
        lower[rank] = vertex(*columns[rank], level + 1);
    }
    const double sum_of_depths = columns[0]->interface_depth_m + columns[1]->interface_depth_m +
                                 columns[2]->interface_depth_m;
    for (int edge = 0; edge < 3; ++edge) {  // each tetrahedron holds one vertical edge
        if (upper[edge] == lower[edge]) {
            continue;
        }
        std::array<std::int32_t, 4> tet = {upper[edge], lower[edge], 0, 0};
        int next = 2;
        for (int rank = 0; rank < 3; ++rank) {
            if (rank != edge) {
                tet[next++] = rank < edge ? lower[rank] : upper[rank];
            }
        }
        const auto& xyz = mesh.xyz;
        if (det6(xyz[tet[0]], xyz[tet[1]], xyz[tet[2]], xyz[tet[3]]) < 0.0) {
            std::swap(tet[2], tet[3]);
        }
        mesh.tets.push_back(tet);
        const double z = (xyz[tet[0]].z + xyz[tet[1]].z + xyz[tet[2]].z + xyz[tet[3]].z) / 4;
        // Interpolated like z, the interface leaves each element on its own side.
        const double interface_depth = (sum_of_depths + columns[edge]->interface_depth_m) / 4;
        mesh.material.push_back(p_.structure.material_at(-z, interface_depth));
    }
}

mesh::TetMesh ColumnLattice::build(const Progress& progress) const {
    const auto tell = [&](double fraction, const char* stage) {
        if (progress) {
            progress(fraction, stage);
        }
    };
    tell(0.0, "vertices");
    mesh::TetMesh mesh;
    mesh.xyz.reserve(count_.vertices);
    std::vector<VertexMask> mask;
    mask.reserve(count_.vertices);
    std::vector<bool> above_interface;
    above_interface.reserve(count_.vertices);
    for (const Column& column : columns_) {
        add_vertices(column, mesh, mask);
        for (int level = closed(column) ? p_.sizes.layers_above : 0; level < levels(); ++level) {
            above_interface.push_back(level < p_.sizes.layers_above);
        }
    }

    tell(0.3, "elements");
    mesh.tets.reserve(count_.tets);
    mesh.material.reserve(count_.tets);
    for (const auto& triangle : base_.triangles) {
        const std::array<const Column*, 3> corners = {
            &columns_[triangle[0]], &columns_[triangle[1]], &columns_[triangle[2]]};
        for (int level = 0; level + 1 < levels(); ++level) {
            add_prism(corners, level, mesh);
        }
    }

    tell(0.8, "faces");
    collect_faces(mesh, mask, [&](std::int32_t opposite) { return above_interface[opposite]; });
    if (mesh.fault_faces.empty()) {
        refuse(
            "window must hold a triangle of the lattice: widen it or reduce "
            "sizes.at_fault_m, now " +
            std::to_string(p_.sizes.at_fault_m));
    }
    const bool ruptures =
        std::any_of(mesh.fault_faces.begin(), mesh.fault_faces.end(), [&](const auto& face) {
            return std::any_of(face.vertices.begin(), face.vertices.end(),
                               [&](std::int32_t id) { return mesh.xyz[id].z == 0.0; });
        });
    if (p_.surface_rupture && !ruptures) {
        refuse("surface_rupture needs an interface that comes within " +
               std::to_string(kClosed * p_.sizes.at_fault_m) +
               " m (a tenth of sizes.at_fault_m) of the surface inside the window");
    }
    tell(1.0, "done");
    return mesh;
}

}  // namespace

std::unique_ptr<MeshSource> make_column_lattice(ColumnLatticeParams params) {
    return std::make_unique<ColumnLattice>(std::move(params));
}

}  // namespace kaname::meshing
