// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/finish.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/meshing/cleaving/fault_sides.hpp"
#include "solvers/meshing/cleaving/warp.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kNearestCut = 0.08;  // least distance from an edge's ends, over its length

/// The tets that bisection makes of one; at most 2^6.
class Bisection {
public:
    struct Split {
        std::int32_t p, q, middle;
        int order;  // the free surface's first, then the faults', then all others'
        double length2;

        [[nodiscard]] bool before(const Split& other) const {
            return std::tuple(order, -length2, middle) <
                   std::tuple(other.order, -other.length2, other.middle);
        }
    };
    /// `splits` in the order of bisection.
    template <class Emit>
    static void run(const Tet& tet, const Split* begin, const Split* end, const Emit& emit) {
        for (const Split* split = begin; split != end; ++split) {
            const auto p = std::ranges::find(tet, split->p);
            const auto q = std::ranges::find(tet, split->q);
            if (p == tet.end() || q == tet.end()) {
                continue;
            }
            Tet first = tet;
            Tet second = tet;
            first[static_cast<std::size_t>(q - tet.begin())] = split->middle;
            second[static_cast<std::size_t>(p - tet.begin())] = split->middle;
            run(first, split + 1, end, emit);
            run(second, split + 1, end, emit);
            return;
        }
        emit(tet);
    }
};

class Cutter {
public:
    Cutter(Complex& complex, const Labeller& labeller, const UnresolvedRegions& unresolved,
           bool last)
        : complex_(complex),
          labeller_(labeller),
          last_(last),
          conflicts_(find_conflicts(complex, labeller, unresolved)) {}

    bool run() {
        add_vertices();
        divide();
        if (last_) {
            compact(complex_);
        }
        return !conflicts_.empty();
    }

private:
    void add_vertices();
    void divide();
    void divide_tet(const Tet& tet, std::vector<Tet>& tets, std::vector<Labels>& labels) const;
    [[nodiscard]] Labels labels_between(const Conflict& conflict) const;
    [[nodiscard]] Labels label_of(const Tet& tet) const;
    [[nodiscard]] std::uint64_t volume_of(const Tet& tet, std::uint64_t common) const;

    Complex& complex_;
    const Labeller& labeller_;
    bool last_;
    std::vector<Conflict> conflicts_;
    std::int32_t first_cut_ = 0;  ///< vertex of conflicts_[0]
};

void Cutter::add_vertices() {
    first_cut_ = static_cast<std::int32_t>(complex_.xyz.size());
    const std::size_t total = complex_.xyz.size() + conflicts_.size();
    complex_.xyz.resize(total);
    complex_.walls.resize(total);
    complex_.on.resize(total);
    complex_.labels.resize(total);
    const Sheets& sheets = labeller_.sheets();
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < conflicts_.size(); ++c) {
        const Conflict& conflict = conflicts_[c];
        const std::size_t m = static_cast<std::size_t>(first_cut_) + c;
        const Vec3 edge = complex_.xyz[conflict.q] - complex_.xyz[conflict.p];
        const double t = std::clamp(conflict.t, kNearestCut, 1.0 - kNearestCut);
        complex_.walls[m] = common_walls(complex_, conflict.p, conflict.q);
        complex_.xyz[m] = complex_.xyz[conflict.p] + t * edge;
        complex_.labels[m] = labels_between(conflict);
        const SheetMask on = SheetMask{1} << conflict.sheet;
        if (t == conflict.t ||
            sheets.project_all(on, complex_.xyz[m], complex_.walls[m], 0.1 * norm(edge))) {
            complex_.on[m] = on;
            if (!last_) {
                complex_.labels[m] = labeller_.at(complex_.xyz[m], on);
            }
        }
    }
}

/// Returns the labels of either end; those of the ground and of faults that are cut earlier than
/// this sheet only if both ends have them. The new vertex is on these only where the whole edge is.
Labels Cutter::labels_between(const Conflict& conflict) const {
    const Labels& at_p = complex_.labels[conflict.p];
    const Labels& at_q = complex_.labels[conflict.q];
    Labels labels = at_p | at_q;
    if (conflict.sheet == 0) {
        return labels;
    }
    const Labels common = at_p & at_q;
    labels.volumes &= ~kAirBit | common.volumes;
    const Sheets& sheets = labeller_.sheets();
    for (int fault = 0; fault < labeller_.faults(); ++fault) {
        if (sheets.precedence(sheets.of_fault(fault)) < sheets.precedence(conflict.sheet)) {
            const std::uint64_t both = Labels::plus(fault) | Labels::minus(fault);
            labels.sides &= ~both | common.sides;
        }
    }
    return labels;
}

void Cutter::divide() {
    constexpr std::size_t kChunk = 1 << 15;
    const std::vector<Tet> whole = std::move(complex_.tets);
    struct Piece {
        std::vector<Tet> tets;
        std::vector<Labels> labels;
    };
    std::vector<Piece> pieces((whole.size() + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        const std::size_t end = std::min(whole.size(), (piece + 1) * kChunk);
        for (std::size_t t = piece * kChunk; t < end; ++t) {
            divide_tet(whole[t], pieces[piece].tets, pieces[piece].labels);
        }
    }
    complex_.tets.clear();
    for (Piece& piece : pieces) {
        complex_.tets.insert(complex_.tets.end(), piece.tets.begin(), piece.tets.end());
        complex_.tet_labels.insert(complex_.tet_labels.end(), piece.labels.begin(),
                                   piece.labels.end());
        piece = {};
    }
}

void Cutter::divide_tet(const Tet& tet, std::vector<Tet>& tets, std::vector<Labels>& labels) const {
    std::array<Bisection::Split, 6> splits;
    std::size_t n = 0;
    for (int a = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b) {
            if (!(complex_.labels[tet[a]] & complex_.labels[tet[b]]).in_conflict()) {
                continue;
            }
            const auto [p, q] = std::minmax(tet[a], tet[b]);
            const auto found =
                std::ranges::lower_bound(conflicts_, std::pair(p, q), {},
                                         [](const Conflict& c) { return std::pair(c.p, c.q); });
            if (found == conflicts_.end() || found->p != p || found->q != q) {
                continue;  // calm
            }
            const Vec3 edge = complex_.xyz[q] - complex_.xyz[p];
            Bisection::Split split{
                p, q, first_cut_ + static_cast<std::int32_t>(found - conflicts_.begin()),
                labeller_.sheets().precedence(found->sheet), dot(edge, edge)};
            for (std::size_t k = 0; k < n; ++k) {
                if (split.before(splits[k])) {
                    std::swap(split, splits[k]);
                }
            }
            splits[n++] = split;
        }
    }
    Bisection::run(tet, splits.data(), splits.data() + n, [&](const Tet& part) {
        if (!last_) {
            tets.push_back(part);
            return;
        }
        const Labels label = label_of(part);
        if (label.volumes != kAirBit) {
            tets.push_back(part);
            labels.push_back(label);
        }
    });
}

Labels Cutter::label_of(const Tet& tet) const {
    Labels common = complex_.labels[tet[0]] & complex_.labels[tet[1]] & complex_.labels[tet[2]] &
                    complex_.labels[tet[3]];
    if (std::popcount(common.volumes) != 1) {
        common.volumes = volume_of(tet, common.volumes);
    }
    Vec3 centroid;
    for (const std::int32_t v : tet) {
        centroid += 0.25 * complex_.xyz[v];
    }
    for (int fault = 0; fault < labeller_.faults(); ++fault) {
        const std::uint64_t both = Labels::plus(fault) | Labels::minus(fault);
        if ((common.sides & both) != both) {
            continue;
        }
        const int sheet = labeller_.sheets().of_fault(fault);
        // With a face on the fault it has a side, also where its other corner is close to it.
        if (std::ranges::count_if(
                tet, [&](std::int32_t v) { return (complex_.on[v] >> sheet & 1U) != 0; }) >= 3) {
            common.sides &= labeller_.sheets().above(sheet, centroid) > 0.0 ? ~Labels::minus(fault)
                                                                            : ~Labels::plus(fault);
        }
    }
    return {common.volumes, common.sides};
}

std::uint64_t Cutter::volume_of(const Tet& tet, std::uint64_t common) const {
    std::uint64_t any = 0;
    bool ground = false;
    Vec3 centroid;
    for (const std::int32_t v : tet) {
        const std::uint64_t volumes = complex_.labels[v].volumes;
        any |= volumes;
        ground = ground || (volumes & kAirBit) == 0;
        if (volumes == kAirBit) {
            return kAirBit;
        }
        centroid += 0.25 * complex_.xyz[v];
    }
    std::uint64_t choice = common != 0 ? common : any;
    if (ground) {
        choice &= ~kAirBit;
    }
    const std::uint64_t here = labeller_.volumes_at(centroid, 0);
    if ((here & choice) != 0) {
        return here;
    }
    // A thin layer lies here, which no corner is in: take the volume of most corners.
    std::uint64_t best = 0;
    int most = -1;
    for (std::uint64_t rest = choice & ~kAirBit; rest != 0; rest &= rest - 1) {
        const std::uint64_t volume = rest & (~rest + 1);
        const int count = static_cast<int>(std::ranges::count_if(
            tet, [&](std::int32_t v) { return (complex_.labels[v].volumes & volume) != 0; }));
        if (count > most) {
            most = count;
            best = volume;
        }
    }
    return best != 0 ? best : kAirBit;
}

}  // namespace

bool cut(Complex& complex, const Labeller& labeller, const UnresolvedRegions& unresolved,
         bool last) {
    return Cutter(complex, labeller, unresolved, last).run();
}

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
