// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "tests/support/lattice/grading.hpp"
#include "tests/support/lattice/lattices.hpp"
#include "tests/support/lattice/tet_faces.hpp"

namespace kaname::meshing {
namespace {

constexpr double kMinDip_rad = 20.0 * kDegree;
constexpr double kSameLine = 1e-6;        // in sizes at the fault: lines this close are one
constexpr double kThinNeighbour = 3.0;    // a cell is at most this much thicker than the next
constexpr double kShearPerCell = 1.5;     // shift of the fault across a cell, in sizes at the fault
constexpr double kMinCompression = 0.35;  // share of a cell's width that the shear must leave

[[noreturn]] void refuse(const std::string& field, const std::string& rule, double value) {
    std::ostringstream text;
    text << field << " must be " << rule << ", got " << value;
    throw Error(ErrorCode::InvalidArgument, text.str());
}

int cells_along(double length, int wanted, double size) {
    return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::ceil(length / size - 1e-9)));
}

int index_of(const std::vector<double>& lines, double value) {
    return static_cast<int>(std::lower_bound(lines.begin(), lines.end(), value) - lines.begin());
}

/// Horizontal offset of the fault's plane as a function of depth: straight from the surface to the
/// fault's bottom, then turning vertical over `fade_m`.
struct Shear {
    double cot_dip = 0.0;
    double straight_to_m = 0.0;
    double fade_m = 1.0;

    [[nodiscard]] double offset(double depth) const {
        const double below = std::max(0.0, depth - straight_to_m);
        return cot_dip * (std::min(depth, straight_to_m) + fade_m * -std::expm1(-below / fade_m));
    }
    [[nodiscard]] double slope(double depth) const {
        return cot_dip * std::exp(-std::max(0.0, depth - straight_to_m) / fade_m);
    }
};

class PlaneLattice final : public MeshSource {
public:
    explicit PlaneLattice(PlaneLatticeParams params) : p_(std::move(params)), frame_(0.0) {
        check();
        frame_ = BoxFrame(p_.box.azimuth_rad);
        sin_dip_ = std::sin(p_.dip_rad);
        const bool vertical = p_.dip_rad > std::numbers::pi / 2 - 1e-9;
        shear_.cot_dip = vertical ? 0.0 : std::cos(p_.dip_rad) / sin_dip_;
        make_strike_lines();
        make_depth_lines();
        make_across_lines();
        check_compression();
    }

    [[nodiscard]] Count estimate() const override {
        const std::int64_t na = std::ssize(along_);
        const std::int64_t nb = std::ssize(across_);
        const std::int64_t nk = std::ssize(depth_);
        return {na * nb * nk, 6 * (na - 1) * (nb - 1) * (nk - 1)};
    }

    [[nodiscard]] mesh::TetMesh build(const Progress& progress) const override;

private:
    void check() const;
    void make_strike_lines();
    void make_depth_lines();
    void make_across_lines();
    void check_compression() const;
    [[nodiscard]] double top_depth() const {
        const double depth = -p_.top_centre.z + p_.window.d_min * std::sin(p_.dip_rad);
        return std::abs(depth) < same() ? 0.0 : depth;
    }
    [[nodiscard]] double bottom_depth() const {
        return -p_.top_centre.z + p_.window.d_max * std::sin(p_.dip_rad);
    }
    [[nodiscard]] double same() const { return kSameLine * p_.sizes.at_fault_m; }
    /// b of lattice plane `plane` at `depth`.
    [[nodiscard]] double across(int plane, double depth) const {
        return across_[plane] + (shear_.offset(depth) - offset_ref_) * weight_[plane];
    }
    [[nodiscard]] std::int32_t vertex(int i, int j, int k) const {
        return static_cast<std::int32_t>((i * std::ssize(across_) + j) * std::ssize(depth_) + k);
    }
    void add_cell(int i, int j, int k, mesh::TetMesh& mesh) const;

    PlaneLatticeParams p_;
    BoxFrame frame_;
    double sin_dip_ = 1.0;
    Shear shear_;
    double offset_ref_ = 0.0;     // offset of the shear where the lattice is not moved
    std::vector<double> along_;   // a of the planes across strike
    std::vector<double> across_;  // b of the unmoved planes along strike
    std::vector<double> weight_;  // part of the shear that each of them follows
    std::vector<double> depth_;
    int fault_plane_ = 0;
};

void PlaneLattice::check() const {
    check_box(p_.box);
    check_sizes(p_.sizes);
    check_window(p_.window);
    if (p_.dip_rad < kMinDip_rad - 1e-9 || p_.dip_rad > std::numbers::pi / 2 + 1e-9) {
        refuse("dip_rad", "within 20..90 degrees", p_.dip_rad);
    }
    const double turn = std::remainder(p_.box.azimuth_rad - p_.strike_rad, 2 * std::numbers::pi);
    if (std::abs(turn) > 1e-9) {
        refuse("box.azimuth_rad", "the strike (" + std::to_string(p_.strike_rad) + ")",
               p_.box.azimuth_rad);
    }
    if (top_depth() < 0.0) {
        refuse("depth of the window's upper edge", ">= 0 m (below the surface)", top_depth());
    }
    if (bottom_depth() > p_.box.depth_m + same()) {
        refuse("depth of the window's lower edge", "<= box.depth_m", bottom_depth());
    }
    if (!p_.structure.below_interface.empty()) {
        refuse("structure.below_interface", "empty: a rectangle is no interface, layers",
               static_cast<double>(p_.structure.below_interface.size()));
    }
    if (p_.cells_strike < 0 || p_.cells_dip < 0) {
        refuse("cells_strike and cells_dip", ">= 0", std::min(p_.cells_strike, p_.cells_dip));
    }
}

void PlaneLattice::make_strike_lines() {
    const double a0 = frame_.a(p_.top_centre.x, p_.top_centre.y);
    const double half = p_.box.size_north_m / 2;
    double from = a0 + p_.window.s_min;
    double to = a0 + p_.window.s_max;
    if (from < -half - same() || to > half + same()) {
        refuse("window along strike", "within the box's +-" + std::to_string(half) + " m",
               from < -half ? from : to);
    }
    const double cell = (to - from) / cells_along(to - from, p_.cells_strike, p_.sizes.at_fault_m);
    std::vector<double> fixed;
    if (from > -half + same()) {
        fixed.push_back(-half);
    } else {
        from = -half;
    }
    fixed.push_back(from);
    if (to < half - same()) {
        fixed.push_back(to);
    } else {
        to = half;
    }
    fixed.push_back(half);
    along_ = graded_lines(fixed, [&](double a) {
        return grown_size(cell, std::max(cell, p_.sizes.far_m), p_.sizes.growth,
                          std::max(from - a, a - to));
    });
}

void PlaneLattice::make_depth_lines() {
    const double top = top_depth();
    const double bottom = std::min(bottom_depth(), p_.box.depth_m);
    std::vector<double> fixed = {0.0, p_.box.depth_m};
    const auto add = [&](double depth) {
        const bool known = std::any_of(fixed.begin(), fixed.end(), [&](double other) {
            return std::abs(other - depth) < same();
        });
        if (!known && depth > 0.0 && depth < p_.box.depth_m) {
            fixed.push_back(depth);
        }
    };
    add(top);
    add(bottom);
    for (const earth::Layer& layer : p_.structure.layers) {
        add(layer.bottom_depth_m.value_or(p_.box.depth_m));
    }
    std::sort(fixed.begin(), fixed.end());

    const double h0 = p_.sizes.at_fault_m;
    const double cell = (bottom - top) / cells_along((bottom - top) / sin_dip_, p_.cells_dip, h0);
    shear_.straight_to_m = bottom;
    shear_.fade_m = std::max((bottom - top) / 2, 2 * cell);
    const auto in_window = [&](double depth) { return depth > top && depth < bottom; };
    depth_ = graded_lines(fixed, [&](double depth) {
        double size = cell;
        if (!in_window(depth)) {
            size = grown_size(cell, std::max(cell, p_.sizes.far_m), p_.sizes.growth,
                              std::max(top - depth, depth - bottom));
            // A plane that moves further per cell than the cells are wide makes needles.
            const double slope = shear_.slope(depth);
            size = std::min(size, std::max(cell, kShearPerCell * h0 / std::max(slope, 1e-9)));
        }
        for (std::size_t point = 0; point + 1 < fixed.size(); ++point) {
            const bool inner = in_window((fixed[point] + fixed[point + 1]) / 2);
            if (inner || !in_window(depth)) {
                const double away = std::max({0.0, fixed[point] - depth, depth - fixed[point + 1]});
                size = std::min(size, kThinNeighbour * (fixed[point + 1] - fixed[point]) +
                                          p_.sizes.growth * away);
            }
        }
        return size;
    });
}

void PlaneLattice::make_across_lines() {
    const double half = p_.box.size_east_m / 2;
    const double b0 = frame_.b(p_.top_centre.x, p_.top_centre.y);
    // b of the plane is b0 at the depth of the top centre; the unmoved planes are half way
    // between its extremes, which halves the shear.
    const double start = b0 - shear_.offset(-p_.top_centre.z);
    offset_ref_ = shear_.offset(p_.box.depth_m) / 2;
    const double reach = offset_ref_;
    const double middle = start + offset_ref_;
    if (middle - reach <= -half || middle + reach >= half) {
        refuse("box.size_east_m", "wide enough for the dipping plane from the surface down",
               p_.box.size_east_m);
    }
    const double width = p_.window.d_max - p_.window.d_min;
    const double flat = width * std::cos(p_.dip_rad);
    const auto size = [&](double b) {
        // Distance from the plane beside the fault, from its end further out.
        const double away = std::abs(b - middle);
        const double distance = std::min(away, flat) * sin_dip_ + std::max(0.0, away - flat);
        return grown_size(p_.sizes.at_fault_m, p_.sizes.far_m, p_.sizes.growth, distance);
    };
    const std::array<double, 3> fixed = {-half, middle, half};
    across_ = graded_lines(fixed, size);
    fault_plane_ = index_of(across_, middle);
    for (const double b : across_) {
        const double side = b < middle ? middle + half : half - middle;
        const double t =
            std::min(1.0, std::abs(b - middle) / std::min(side, std::max(6 * reach, 4 * width)));
        weight_.push_back((1 - t) * (1 - t) * (1 + 2 * t));
    }
}

void PlaneLattice::check_compression() const {
    for (const double depth : depth_) {
        for (int plane = 0; plane + 1 < std::ssize(across_); ++plane) {
            const double wide = across_[plane + 1] - across_[plane];
            if (across(plane + 1, depth) - across(plane, depth) < kMinCompression * wide) {
                refuse("box.size_east_m",
                       "wider: the sides squeeze the dipping lattice at depth " +
                           std::to_string(depth) + " m, fault " +
                           std::to_string(across(fault_plane_, depth)) + " m east of the middle",
                       p_.box.size_east_m);
            }
        }
    }
}

void PlaneLattice::add_cell(int i, int j, int k, mesh::TetMesh& mesh) const {
    // Kuhn's six tetrahedra: the paths from one corner to the opposite one along the three axes,
    // here from the footwall's lower edge to the hanging wall's upper edge: the short diagonal of
    // every quad across strike, whatever the dip. Odd slices are mirrored: the two diagonals of the
    // rectangles along strike are equally long, and alternating them leaves no preferred direction.
    const bool mirrored = i % 2 == 1;
    const int near = mirrored ? i + 1 : i;
    const int step = mirrored ? -1 : 1;
    constexpr std::array<std::array<int, 3>, 6> kPaths = {
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (int path = 0; path < 6; ++path) {
        std::array<int, 3> at = {near, j, k + 1};
        const std::array<int, 3> move = {step, 1, -1};
        std::array<std::int32_t, 4> tet = {vertex(at[0], at[1], at[2])};
        for (int leg = 0; leg < 3; ++leg) {
            at[kPaths[path][leg]] += move[kPaths[path][leg]];
            tet[leg + 1] = vertex(at[0], at[1], at[2]);
        }
        // Axes (along, right of it, up) are left-handed: even paths are negative.
        if ((path < 3) != mirrored) {
            std::swap(tet[2], tet[3]);
        }
        mesh.tets.push_back(tet);
    }
}

mesh::TetMesh PlaneLattice::build(const Progress& progress) const {
    const auto tell = [&](double fraction, const char* stage) {
        if (progress) {
            progress(fraction, stage);
        }
    };
    const Count count = estimate();
    if (count.vertices > std::numeric_limits<std::int32_t>::max()) {
        refuse("vertices of the lattice", "< 2^31", static_cast<double>(count.vertices));
    }
    const int na = static_cast<int>(std::ssize(along_));
    const int nb = static_cast<int>(std::ssize(across_));
    const int nk = static_cast<int>(std::ssize(depth_));
    const double a0 = frame_.a(p_.top_centre.x, p_.top_centre.y);
    const auto in_strike = [&](double a) {
        return a > a0 + p_.window.s_min - same() && a < a0 + p_.window.s_max + same();
    };
    const auto in_dip = [&](double depth) {
        return depth > top_depth() - same() && depth < bottom_depth() + same();
    };

    tell(0.0, "vertices");
    mesh::TetMesh mesh;
    mesh.xyz.reserve(count.vertices);
    std::vector<VertexMask> mask;
    mask.reserve(count.vertices);
    for (int i = 0; i < na; ++i) {
        for (int j = 0; j < nb; ++j) {
            for (int k = 0; k < nk; ++k) {
                mesh.xyz.push_back(frame_.to_map(along_[i], across(j, depth_[k]), 0.0 - depth_[k]));
                using mesh::Side;
                VertexMask bits = 0;
                bits |= i == 0 ? on_side(Side::South) : 0;
                bits |= i == na - 1 ? on_side(Side::North) : 0;
                bits |= j == 0 ? on_side(Side::West) : 0;
                bits |= j == nb - 1 ? on_side(Side::East) : 0;
                bits |= k == 0 ? on_side(Side::Top) : 0;
                bits |= k == nk - 1 ? on_side(Side::Bottom) : 0;
                if (j == fault_plane_ && in_strike(along_[i]) && in_dip(depth_[k])) {
                    bits |= kOnFault;
                }
                mask.push_back(bits);
            }
        }
    }

    tell(0.3, "elements");
    mesh.tets.reserve(count.tets);
    mesh.material.reserve(count.tets);
    for (int i = 0; i + 1 < na; ++i) {
        for (int j = 0; j + 1 < nb; ++j) {
            for (int k = 0; k + 1 < nk; ++k) {
                add_cell(i, j, k, mesh);
                // No cell crosses a layer boundary, so its middle stands for all centroids.
                const int material = p_.structure.material_at(
                    (depth_[k] + depth_[k + 1]) / 2, std::numeric_limits<double>::infinity());
                mesh.material.insert(mesh.material.end(), 6, material);
            }
        }
    }

    tell(0.8, "faces");
    collect_faces(mesh, mask, [&](std::int32_t opposite) {
        return static_cast<int>(opposite / nk) % nb > fault_plane_;
    });
    tell(1.0, "done");
    return mesh;
}

}  // namespace

std::unique_ptr<MeshSource> make_plane_lattice(PlaneLatticeParams params) {
    return std::make_unique<PlaneLattice>(std::move(params));
}

}  // namespace kaname::meshing
