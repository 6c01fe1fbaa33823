// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/layers_kept.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/earth/columns.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/mesh_source.hpp"
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

/// Every layer on every line in so many pieces.
std::vector<Piece> pieces_near(const VolumeMeshParams& params, double around_m, int pieces,
                               std::vector<LayerKept>& kept) {
    const earth::VolumeModel& model = *params.model;
    const SizeField sizes(params.sizes, params.box, params.model);
    const Plan plan = plan_of(params, around_m);
    const double du = (plan.high_u - plan.low_u) / kLines;
    const double dv = (plan.high_v - plan.low_v) / kLines;
    std::vector<Piece> found;
    for (int line = 0; line < kLines * kLines; ++line) {
        const double u = plan.low_u + (line % kLines + 0.5) * du;
        const double v = plan.low_v + (line / kLines + 0.5) * dv;
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
                found.push_back({run.volume, {u, v, z}, thickness * du * dv / pieces});
            }
        }
    }
    return found;
}

}  // namespace

std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, double around_m) {
    const SizeField sizes(params.sizes, params.box, params.model);
    const ThinLayers thin(*params.model, sizes, params.thinnest);
    std::vector<LayerKept> kept(params.model->volumes.size());
    // Layers merge as wholes: the middle of one says where all of it went.
    for (const Piece& piece : pieces_near(params, around_m, 1, kept)) {
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
    const std::vector<Piece> pieces = pieces_near(params, around_m, kPieces, kept);
    const meshing::BoxFrame frame(params.box.azimuth_rad);
    std::vector<Vec3> places;
    for (const Piece& piece : pieces) {
        places.push_back(frame.to_map(piece.middle.y, piece.middle.x, piece.middle.z));
    }
    const std::vector<p2::Location> at = p2::locate_points(mesh, places);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        kept[static_cast<std::size_t>(mesh.volume[at[k].tet])].left_m3 += pieces[k].m3;
    }
    return kept;
}

namespace {

constexpr double kRounding_m = 1e-6;

}  // namespace

Labels Labeller::at(const Vec3& x, SheetMask met) const {
    const VolumeSet here = layers_.at(x, met);
    Labels labels{here.volumes, ~std::uint64_t{0}, here.upper, here.lower};
    if (labels.volumes == kAirBit) {
        return labels;
    }
    for (int fault = 0; fault < faults(); ++fault) {
        const int sheet = sheets_.of_fault(fault);
        if ((met >> sheet & 1U) != 0 || !zones_[static_cast<std::size_t>(fault)].holds(x)) {
            continue;
        }
        labels.sides &=
            sheets_.above(sheet, x) > 0.0 ? ~Labels::minus(fault) : ~Labels::plus(fault);
    }
    return labels;
}

int Labeller::sheet_between(const Vec3& p, const Labels& at_p, SheetMask on_p, const Vec3& q,
                            const Labels& at_q, SheetMask on_q) const {
    const Labels common = at_p & at_q;
    if (common.volumes == 0 && (at_p.volumes == kAirBit || at_q.volumes == kAirBit)) {
        return 0;
    }
    if (const int fault = common.torn_fault(); fault >= 0) {
        return sheets_.of_fault(fault);
    }
    int best = -1;
    for (int sheet = 1; sheet < sheets_.surfaces(); ++sheet) {
        if (((on_p | on_q) >> sheet & 1U) != 0 ||
            (sheets_.above(sheet, p) > 0.0) == (sheets_.above(sheet, q) > 0.0)) {
            continue;
        }
        const Vec3 x = p + sheets_.crossing(sheet, p, q) * (q - p);
        const std::uint64_t volumes = volumes_at(x, SheetMask{1} << sheet);
        const bool parts = (volumes & (volumes - 1)) != 0;  // two volumes meet here
        if (parts && (best < 0 || sheets_.rank(sheet) < sheets_.rank(best))) {
            best = sheet;
        }
    }
    return best;
}

Complex label(Lattice lattice, const Labeller& labeller) {
    Complex complex;
    complex.xyz = std::move(lattice.xyz);
    complex.walls = std::move(lattice.walls);
    complex.tets = std::move(lattice.tets);
    complex.on.assign(complex.xyz.size(), 0);
    complex.labels.resize(complex.xyz.size());
    const earth::HeightField& ground = labeller.sheets().model().surfaces.front().height;
#pragma omp parallel for schedule(static)
    for (std::size_t v = 0; v < complex.xyz.size(); ++v) {
        Vec3& x = complex.xyz[v];
        if (ground.constant() && std::abs(x.z - ground.lowest()) < kRounding_m) {
            x.z = ground.lowest();  // the lattice ends there
        }
        complex.labels[v] = labeller.at(x, 0);
        if (complex.labels[v].volumes == kAirBit) {
            // The lattice's top is no side of the box: it may come down to the ground.
            complex.walls[v] = static_cast<Walls>(complex.walls[v] & 3U);
        }
    }
    return complex;
}

}  // namespace kaname::cleaving
