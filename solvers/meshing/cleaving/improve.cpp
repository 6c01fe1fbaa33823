// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/improve.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/meshing/cleaving/retriangulate.hpp"
#include "solvers/meshing/cleaving/shape.hpp"
#include "solvers/meshing/cleaving/smooth.hpp"
#include "solvers/meshing/cleaving/stars.hpp"

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

}  // namespace kaname::cleaving
