// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/layers_kept.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "solvers/earth/column.hpp"
#include "solvers/mesh/tet_shape.hpp"
#include "solvers/meshing/box_frame.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/thin_layers.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::cleaving {
namespace {

constexpr int kLines = 48;  // a side

struct Plan {
    double low_u, high_u, low_v, high_v;
};

Plan plan_of(const VolumeMeshParams& params, double reach_m) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const double half_u = 0.5 * params.box.size_east_m;
    const double half_v = 0.5 * params.box.size_north_m;
    const meshing::BoxFrame frame(params.box.azimuth_rad);
    Plan plan{kInf, -kInf, kInf, -kInf};
    for (const SizeRequest::Points& points : params.sizes.points) {
        for (const Vec3& x : points.at) {
            const double u = frame.b(x.x, x.y);
            const double v = frame.a(x.x, x.y);
            plan = {std::min(plan.low_u, u - reach_m), std::max(plan.high_u, u + reach_m),
                    std::min(plan.low_v, v - reach_m), std::max(plan.high_v, v + reach_m)};
        }
    }
    if (plan.low_u > plan.high_u) {
        return {-half_u, half_u, -half_v, half_v};
    }
    return {std::max(plan.low_u, -half_u), std::min(plan.high_u, half_u),
            std::max(plan.low_v, -half_v), std::min(plan.high_v, half_v)};
}

/// A part of a layer on a vertical line.
struct Piece {
    int volume = 0;
    Vec3 middle;  ///< box frame
    double m3 = 0.0;
};

/// Pieces of the layers on a grid of vertical lines.
struct Pieces {
    Plan plan;
    std::vector<Piece> all;
    std::vector<std::size_t> first;  ///< [lines + 1] of each line in `all`
    [[nodiscard]] double du() const { return (plan.high_u - plan.low_u) / kLines; }
    [[nodiscard]] double dv() const { return (plan.high_v - plan.low_v) / kLines; }
};

/// Every layer on every line in so many pieces.
Pieces pieces_near(const VolumeMeshParams& params, const SizeField& sizes, double around_m,
                   int pieces, std::vector<LayerKept>& kept) {
    const earth::VolumeModel& model = *params.model;
    Pieces found{plan_of(params, around_m), {}, {}};
    const double du = found.du();
    const double dv = found.dv();
    for (int line = 0; line < kLines * kLines; ++line) {
        found.first.push_back(found.all.size());
        const double u = found.plan.low_u + (line % kLines + 0.5) * du;
        const double v = found.plan.low_v + (line / kLines + 0.5) * dv;
        const earth::Column column(model, earth::Column::heights_at(model, u, v));
        for (int r = 0; r < column.runs; ++r) {
            const earth::Column::Run& run = column.run[r];
            const double bottom = std::max(run.bottom_m, -params.box.depth_m);
            if (run.volume == earth::kAir || !(run.top_m > bottom)) {
                continue;
            }
            const double thickness = run.top_m - bottom;
            LayerKept& layer = kept[run.volume];
            layer.model_m3 += thickness * du * dv;
            layer.extent_m2 += du * dv;
            layer.thin_m2 +=
                thickness < kSuits * sizes.at({u, v, 0.5 * (run.top_m + bottom)}) ? du * dv : 0.0;
            for (int p = 0; p < pieces; ++p) {
                const double z = run.top_m - (p + 0.5) / pieces * thickness;
                found.all.push_back({run.volume, {u, v, z}, thickness * du * dv / pieces});
            }
        }
    }
    found.first.push_back(found.all.size());
    return found;
}

/// The tet that holds each piece's middle. Of each tet the few lines that pass its box are asked:
/// p2::locate_points() would ask all tets for each of tens of thousands of points.
class Holders {
public:
    Holders(const Pieces& pieces, const mesh::TetMesh& mesh, double azimuth_rad)
        : pieces_(pieces), frame_(azimuth_rad), tet_(pieces.all.size(), -1) {
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            const mesh::Corners at = mesh::corners_of(mesh, tet);
            look(static_cast<std::int32_t>(tet),
                 {turned(at[0]), turned(at[1]), turned(at[2]), turned(at[3])});
        }
        find_rest(mesh);
    }
    [[nodiscard]] std::size_t of(std::size_t piece) const {
        return static_cast<std::size_t>(tet_[piece]);
    }

private:
    [[nodiscard]] Vec3 turned(const Vec3& x) const {
        return {frame_.b(x.x, x.y), frame_.a(x.x, x.y), x.z};
    }
    static bool inside(const mesh::Corners& at, const Vec3& x) {
        constexpr double kRounding = 1e-9;
        const double volume = det6(at[0], at[1], at[2], at[3]);
        return det6(x, at[1], at[2], at[3]) / volume >= -kRounding &&
               det6(at[0], x, at[2], at[3]) / volume >= -kRounding &&
               det6(at[0], at[1], x, at[3]) / volume >= -kRounding &&
               det6(at[0], at[1], at[2], x) / volume >= -kRounding;
    }
    void look(std::int32_t tet, const mesh::Corners& at) {
        Vec3 low = at[0];
        Vec3 high = at[0];
        for (const Vec3& x : at) {
            low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
            high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
        }
        const auto range = [](double from, double to, double start, double step) {
            const auto line = [&](double x) { return (x - start) / step - 0.5; };
            return std::pair(std::max(0, static_cast<int>(std::ceil(std::max(line(from), 0.0)))),
                             static_cast<int>(std::floor(std::min(line(to), kLines - 1.0))));
        };
        const auto [i0, i1] = range(low.x, high.x, pieces_.plan.low_u, pieces_.du());
        const auto [j0, j1] = range(low.y, high.y, pieces_.plan.low_v, pieces_.dv());
        for (int j = j0; j <= j1; ++j) {
            for (int i = i0; i <= i1; ++i) {
                const std::size_t line = static_cast<std::size_t>(j) * kLines + i;
                for (std::size_t k = pieces_.first[line]; k < pieces_.first[line + 1]; ++k) {
                    const Vec3& x = pieces_.all[k].middle;
                    if (tet_[k] < 0 && x.z >= low.z && x.z <= high.z && inside(at, x)) {
                        tet_[k] = tet;
                    }
                }
            }
        }
    }
    /// Those in no tet but for rounding, or above a ground of straight faces.
    void find_rest(const mesh::TetMesh& mesh) {
        std::vector<std::size_t> rest;
        std::vector<Vec3> places;
        for (std::size_t k = 0; k < tet_.size(); ++k) {
            if (tet_[k] < 0) {
                const Vec3& x = pieces_.all[k].middle;
                rest.push_back(k);
                places.push_back(frame_.to_map(x.y, x.x, x.z));
            }
        }
        const std::vector<p2::Location> at = p2::locate_points(mesh, places);
        for (std::size_t k = 0; k < rest.size(); ++k) {
            tet_[rest[k]] = at[k].tet;
        }
    }

    const Pieces& pieces_;
    meshing::BoxFrame frame_;
    std::vector<std::int32_t> tet_;
};

}  // namespace

std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, double around_m) {
    const SizeField sizes(params.sizes, params.box, params.model);
    const ThinLayers thin(*params.model, sizes, params.thinnest);
    std::vector<LayerKept> kept(params.model->volumes.size());
    // Layers merge as wholes: the middle of one says where all of it went.
    for (const Piece& piece : pieces_near(params, sizes, around_m, 1, kept).all) {
        const std::uint64_t at = thin.volumes_at(piece.middle, 0);
        if (std::popcount(at) == 1 && at != kAirBit) {
            kept[std::countr_zero(at)].left_m3 += piece.m3;
        }
    }
    return kept;
}

std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, const mesh::TetMesh& mesh,
                                   double around_m) {
    constexpr int kPieces = 3;
    std::vector<LayerKept> kept(params.model->volumes.size());
    const SizeField sizes(params.sizes, params.box, params.model);
    const Pieces pieces = pieces_near(params, sizes, around_m, kPieces, kept);
    const Holders holders(pieces, mesh, params.box.azimuth_rad);
    for (std::size_t k = 0; k < pieces.all.size(); ++k) {
        kept[static_cast<std::size_t>(mesh.volume[holders.of(k)])].left_m3 += pieces.all[k].m3;
    }
    return kept;
}

}  // namespace kaname::cleaving
