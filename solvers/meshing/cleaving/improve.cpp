// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/improve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/retriangulate.hpp"
#include "solvers/meshing/cleaving/rim.hpp"

namespace kaname::cleaving {
namespace {

constexpr int kImproveRounds = 8, kReleases = 5;
constexpr double kEnough = 1.25;    // what later rounds aim at, over the angle that tets must have
constexpr double kStuckPart = 0.9;  // where a tet is stuck, over that angle: 168 degrees at most
constexpr int kAlone = 4;           // rounds in which only the bad tets' own vertices move
// Boundaries between volumes give way first; the ground and faults last.
constexpr Freedom kFreedom[kReleases] = {
    {0.1, 0.0}, {0.2, 0.0}, {0.3, 0.0}, {0.4, 0.0}, {0.4, 0.2}};

/// Tets below the target, worst first.
std::vector<std::int32_t> find_bad(const Complex& complex, double target_deg) {
    std::vector<float> shapes(complex.tets.size());
#pragma omp parallel for schedule(static)
    for (std::size_t t = 0; t < complex.tets.size(); ++t) {
        shapes[t] = static_cast<float>(shape_deg(complex.xyz, complex.tets[t]));
    }
    std::vector<std::int32_t> bad;
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        if (shapes[t] < target_deg) {
            bad.push_back(static_cast<std::int32_t>(t));
        }
    }
    std::ranges::sort(bad, [&](std::int32_t a, std::int32_t b) {
        return std::pair(shapes[a], a) < std::pair(shapes[b], b);
    });
    return bad;
}

/// Vertices of tets, each once, in the order in which they are met.
class VertexList {
public:
    explicit VertexList(std::size_t vertices) : seen_(vertices, 0) {}
    void add(const Tet& tet) {
        for (const std::int32_t v : tet) {
            if (seen_[v] == 0) {
                seen_[v] = 1;
                vertices.push_back(v);
            }
        }
    }
    std::vector<std::int32_t> vertices;

private:
    std::vector<unsigned char> seen_;
};

/// Vertices in rounds: those of one share no tet, and of two that share one the earlier in the list
/// comes first. Round after round they move as they would one after the other, however many threads
/// there are.
std::vector<std::vector<std::int32_t>> rounds_of(const std::vector<std::int32_t>& vertices,
                                                 const Complex& complex, const Stars& stars) {
    std::vector<std::int32_t> round_of(complex.xyz.size(), -1);
    std::vector<std::vector<std::int32_t>> rounds;
    for (const std::int32_t v : vertices) {
        std::int32_t round = 0;
        for (const std::int32_t t : stars.of(v)) {
            for (const std::int32_t w : complex.tets[t]) {
                round = std::max(round, round_of[w] + 1);
            }
        }
        round_of[v] = round;
        rounds.resize(std::max(rounds.size(), std::size_t(round) + 1));
        rounds[round].push_back(v);
    }
    return rounds;
}

/// Returns how many vertices moved. With `around` the bad tets' neighbours make room as well.
std::int64_t smooth(Complex& complex, const Sheets& sheets, const Stars& stars,
                    const std::vector<std::int32_t>& bad, const Freedom& freedom, bool around) {
    VertexList list(complex.xyz.size());
    for (const std::int32_t t : bad) {
        list.add(complex.tets[t]);
    }
    if (around) {
        const std::size_t own = list.vertices.size();
        for (std::size_t k = 0; k < own; ++k) {
            for (const std::int32_t t : stars.of(list.vertices[k])) {
                list.add(complex.tets[t]);
            }
        }
    }
    const auto rounds = rounds_of(list.vertices, complex, stars);
    const auto pass = [&] {
        std::int64_t moved = 0;
        for (const auto& round : rounds) {
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : moved) if (round.size() > 64)
            for (std::size_t k = 0; k < round.size(); ++k) {
                moved += smooth_vertex(complex, sheets, stars, round[k], freedom) ? 1 : 0;
            }
        }
        return moved;
    };
    const std::int64_t moved = pass();
    return around ? std::max(moved, pass()) : moved;
}

}  // namespace

Improvement improve(Complex& complex, const Sheets& sheets, double target_deg, double must_deg,
                    const std::function<void(double fraction)>& progress) {
    Improvement result;
    for (int round = 0; round < kImproveRounds + kReleases; ++round) {
        const int release = round - kImproveRounds;
        // Tets that stay bad after the first rounds are made good enough, which is less than the
        // target.
        const double least_deg = round < kAlone ? target_deg
                                 : release < 0  ? kEnough * must_deg
                                                : must_deg;
        const std::vector<std::int32_t> bad = find_bad(complex, least_deg);
        if (round == 0) {
            result.bad_before = static_cast<std::int64_t>(bad.size());
        }
        if (bad.empty()) {
            break;  // nor below what later rounds look for
        }
        ++result.rounds;
        {
            const Stars stars(complex.xyz.size(), complex.tets);
            const std::int64_t moved =
                smooth(complex, sheets, stars, bad, release < 0 ? Freedom{} : kFreedom[release],
                       round >= kAlone);
            result.released += release < 0 ? 0 : moved;
            Retriangulation(complex, stars).improve_all(bad, least_deg);
        }
        compact(complex);
        progress((round + 1.0) / (kImproveRounds + kReleases));
    }
    const std::vector<std::int32_t> left = find_bad(complex, target_deg);
    result.bad_after = static_cast<std::int64_t>(left.size());
    for (const std::int32_t t : left) {  // worst first
        const Tet& tet = complex.tets[t];
        if (!(shape_deg(complex.xyz, tet) < kStuckPart * must_deg)) {
            break;
        }
        Improvement::Stuck stuck{};
        for (int i = 0; i < 4; ++i) {
            stuck.at += 0.25 * complex.xyz[tet[i]];
            for (int j = i + 1; j < 4; ++j) {
                stuck.edge_m =
                    std::max(stuck.edge_m, norm(complex.xyz[tet[i]] - complex.xyz[tet[j]]));
            }
        }
        result.stuck.push_back(stuck);
    }
    return result;
}

namespace {

constexpr double kFirstStep = 0.2, kLastStep = 0.01;  // in mean edges
constexpr double kWorthMoving_deg = 0.02;
// In mean edges: a vertex between volumes that is on no sheet may always be this far from one.
constexpr double kAdrift = 0.2;

class VertexSearch {
public:
    VertexSearch(Complex& complex, const Sheets& sheets, const Stars& stars, std::int32_t vertex,
                 const Freedom& freedom)
        : complex_(complex), sheets_(sheets), star_(stars.of(vertex)), vertex_(vertex) {
        double sum = 0.0;
        for (const std::int32_t t : star_) {
            for (const std::int32_t w : complex_.tets[t]) {
                if (w != vertex) {
                    sum += norm(complex_.xyz[w] - complex_.xyz[vertex]);
                    middle_ += complex_.xyz[w];
                }
            }
        }
        const double neighbours = 3.0 * static_cast<double>(star_.size());
        edge_ = sum / neighbours;
        middle_ = (1.0 / neighbours) * middle_;
        const SheetMask on = complex.on[vertex];
        for (int sheet = 0; sheet < sheets.count(); ++sheet) {
            if ((on >> sheet & 1U) == 0) {
                continue;
            }
            const bool of_volumes = sheets.precedence(sheet) == sheets.precedence(-1);
            const double room_m = edge_ * (of_volumes ? freedom.of_volumes : freedom.of_others);
            if (room_m > 0.0) {
                loose_.push_back({sheet, room_m});
            } else {
                held_ |= SheetMask{1} << sheet;
            }
        }
        keep_near(freedom);
    }

    bool run() {
        Vec3& x = complex_.xyz[vertex_];
        double best = worst(-std::numeric_limits<double>::infinity());
        const double before = best;
        for (double step = kFirstStep; step > kLastStep;) {
            const Vec3 towards = middle_ - x;
            const Vec3 altitude = worst_altitude();
            bool moved = try_move(0.5 * towards, best) || try_move((step * edge_) * altitude, best);
            for (int axis = 0; axis < 3 && !moved; ++axis) {
                for (const double way : {-1.0, 1.0}) {
                    Vec3 by;
                    by[axis] = way * step * edge_;
                    moved = moved || try_move(by, best);
                }
            }
            if (!moved) {
                step *= 0.5;
            }
            if (best > kGoodEnough_deg) {
                break;
            }
        }
        return best > before + kWorthMoving_deg;
    }

private:
    static constexpr double kGoodEnough_deg = 25.0;

    /// A vertex between volumes that is on no sheet (one that warping took back) stays about as
    /// close to the nearest one as it is.
    void keep_near(const Freedom& freedom) {
        constexpr SheetMask kGround = 1;
        std::uint64_t volumes = 0;
        for (const std::int32_t t : star_) {
            volumes |= complex_.tet_labels[t].volumes;
        }
        if (std::popcount(volumes) < 2 || (complex_.on[vertex_] & ~kGround) != 0) {
            return;
        }
        Loose nearest{-1, std::numeric_limits<double>::infinity()};
        for (int sheet = 1; sheet < std::ssize(sheets_.model().surfaces); ++sheet) {
            const double away_m = std::abs(sheets_.distance_m(sheet, complex_.xyz[vertex_]));
            nearest = away_m < nearest.room_m ? Loose{sheet, away_m} : nearest;
        }
        if (nearest.sheet > 0) {
            nearest.room_m =
                std::max(nearest.room_m, std::max(kAdrift, freedom.of_volumes) * edge_);
            loose_.push_back(nearest);
        }
    }

    /// The least shape_deg of the tets around; stops below `limit`.
    double worst(double limit) {
        double least = std::numeric_limits<double>::infinity();
        for (const std::int32_t t : star_) {
            const double shape = shape_deg(complex_.xyz, complex_.tets[t]);
            if (shape < least) {
                least = shape;
                worst_tet_ = t;
                if (least <= limit) {
                    break;
                }
            }
        }
        return least;
    }

    /// Unit vector away from the face of the worst tet that the vertex is not on.
    Vec3 worst_altitude() {
        worst(-std::numeric_limits<double>::infinity());
        Vec3 corner[3];
        int n = 0;
        for (const std::int32_t w : complex_.tets[worst_tet_]) {
            if (w != vertex_) {
                corner[n++] = complex_.xyz[w];
            }
        }
        Vec3 normal = cross(corner[1] - corner[0], corner[2] - corner[0]);
        const double length = norm(normal);
        if (!(length > 0.0)) {
            return {};
        }
        const Tet& tet = complex_.tets[worst_tet_];
        const double volume = det6(complex_.xyz[tet[0]], complex_.xyz[tet[1]], complex_.xyz[tet[2]],
                                   complex_.xyz[tet[3]]);
        const double side =
            dot(normal, complex_.xyz[vertex_] - corner[0]) * (volume < 0.0 ? -1 : 1);
        return ((side < 0.0 ? -1.0 : 1.0) / length) * normal;
    }

    bool try_move(Vec3 by, double& best) {
        const Walls walls = complex_.walls[vertex_];
        if (on_rim(walls)) {
            return false;
        }
        for (int axis = 0; axis < 3; ++axis) {
            if ((walls >> axis & 1U) != 0) {
                by[axis] = 0.0;
            }
        }
        const double length = norm(by);
        if (!(length > 0.0)) {
            return false;
        }
        Vec3& x = complex_.xyz[vertex_];
        const Vec3 old = x;
        Vec3 moved = x + by;
        if (!sheets_.project_all(held_, moved, walls, 2.0 * length + 0.1 * edge_) ||
            std::ranges::any_of(loose_, [&](const Loose& loose) {
                return std::abs(sheets_.distance_m(loose.sheet, moved)) > loose.room_m;
            })) {
            return false;
        }
        x = moved;
        if (const double shape = worst(best); shape > best + kWorthMoving_deg) {
            best = shape;
            return true;
        }
        x = old;
        return false;
    }

    Complex& complex_;
    const Sheets& sheets_;
    std::span<const std::int32_t> star_;
    std::int32_t vertex_;
    std::int32_t worst_tet_ = 0;
    double edge_ = 0.0;
    Vec3 middle_;
    SheetMask held_ = 0;
    struct Loose {
        int sheet;
        double room_m;
    };
    std::vector<Loose> loose_;
};

}  // namespace

bool smooth_vertex(Complex& complex, const Sheets& sheets, const Stars& stars, std::int32_t vertex,
                   const Freedom& freedom) {
    return !stars.of(vertex).empty() && VertexSearch(complex, sheets, stars, vertex, freedom).run();
}

}  // namespace kaname::cleaving
