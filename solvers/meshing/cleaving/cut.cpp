// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/cut.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "solvers/meshing/cleaving/warp.hpp"

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
    Cutter(Complex& complex, const Labeller& labeller, const Calm& calm, bool last)
        : complex_(complex),
          labeller_(labeller),
          last_(last),
          conflicts_(find_conflicts(complex, labeller, calm)) {}

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

bool cut(Complex& complex, const Labeller& labeller, const Calm& calm, bool last) {
    return Cutter(complex, labeller, calm, last).run();
}

}  // namespace kaname::cleaving
