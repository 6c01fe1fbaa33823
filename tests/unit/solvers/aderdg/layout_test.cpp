// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/layout.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::layout_test {
namespace {

constexpr int kPerBlock = 4;

struct Case {
    WaveModel model;
    TetTopology topology;
    Clustering clusters;
};

/// Thin elements in the middle; the top absorbs.
Case graded() {
    Case c;
    c.model = box_of_cubes({8, 4, 4}, {-1, -1, -1}, {1, 1, 1}, solid_of(1, 2, 1));
    for (Vec3& v : c.model.mesh.xyz) {
        v.x = v.x * (0.1 + 0.9 * v.x * v.x);
    }
    c.model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Absorbing;
    c.topology = TetTopology::of(c.model);
    WaveParams params;
    params.end_s = 1.0;
    c.clusters = cluster(largest_steps(c.model, c.topology, params), c.topology, params);
    return c;
}

/// Which record a rank's face has, by tet and face.
std::map<std::pair<std::int64_t, int>, std::array<std::int32_t, 2>> beyond_of(const Layout& l) {
    std::map<std::pair<std::int64_t, int>, std::array<std::int32_t, 2>> all;
    for (std::size_t s = 0; s < l.tets.size(); ++s) {
        for (int f = 0; f < 4 && l.tets[s] >= 0; ++f) {
            const std::int32_t at = l.own_record(static_cast<std::int32_t>(s / kPerBlock), f,
                                                 static_cast<int>(s % kPerBlock));
            all[{l.tets[s], f}] = {l.beyond[0][at], l.beyond[1][at]};
        }
    }
    return all;
}

TEST(Layout, OneRankReadsWhatNeighboursWrite) {
    const Case c = graded();
    ASSERT_GE(c.clusters.n_clusters, 3);
    const std::vector<std::int32_t> part(c.topology.tets.size(), 0);
    const Layout l = Layout::of(c.model, c.topology, c.clusters, part, 0, kPerBlock);

    // `written` tells the contents of a record by its writer: (tet, face, 0 the whole step, 1 and 2
    // halves, 3 mean).
    std::map<std::int32_t, std::array<std::int64_t, 3>> written;
    std::set<std::int64_t> placed;
    for (std::size_t s = 0; s < l.tets.size(); ++s) {
        const auto block = static_cast<std::int32_t>(s / kPerBlock);
        if (l.tets[s] < 0) {
            continue;
        }
        EXPECT_TRUE(placed.insert(l.tets[s]).second);
        const int cluster = c.clusters.cluster[l.tets[s]];
        EXPECT_TRUE(l.first[cluster] <= block && block < l.first[cluster + 1]);
        for (int f = 0; f < 4; ++f) {
            written[l.own_record(block, f, static_cast<int>(s % kPerBlock))] = {l.tets[s], f, 0};
        }
    }
    EXPECT_EQ(placed.size(), c.topology.tets.size());
    for (const Layout::OtherStep& o : l.other_steps) {
        const std::int64_t tet = l.tets[o.block * kPerBlock + o.element];
        EXPECT_FALSE(written.contains(o.record));
        written[o.record] = {tet, o.face, o.halves ? 1 : 3};
        if (o.halves) {
            EXPECT_FALSE(written.contains(o.record + 1));
            written[o.record + 1] = {tet, o.face, 2};
        }
    }
    int others = 0;
    for (const auto& [at, records] : beyond_of(l)) {
        const auto [tet, face] = at;
        const TetTopology::Beyond& b = c.topology.beyond[tet][face];
        using Written = std::array<std::int64_t, 3>;
        if (b.tet < 0) {
            EXPECT_EQ(records[0], records[1]);
            if (b.boundary == Boundary::Free) {
                EXPECT_EQ(written.at(records[0]), (Written{tet, face, 0}));
            } else {
                EXPECT_FALSE(written.contains(records[0]));  // zeros
            }
            continue;
        }
        const int step = c.clusters.cluster[b.tet] - c.clusters.cluster[tet];
        others += step != 0 ? 1 : 0;
        const int first = step == 0 ? 0 : step > 0 ? 1 : 3, second = step > 0 ? 2 : first;
        EXPECT_EQ(written.at(records[0]), (Written{b.tet, b.face, first}));
        EXPECT_EQ(written.at(records[1]), (Written{b.tet, b.face, second}));
    }
    EXPECT_EQ(others, std::ssize(l.other_steps));
    EXPECT_TRUE(l.peers.empty());
}

TEST(Layout, RanksSendWhatTheOthersReceive) {
    const Case c = graded();
    std::vector<std::int32_t> part;
    for (const auto& tet : c.topology.tets) {
        Vec3 sum;
        for (const std::int32_t v : tet) {
            sum += c.model.mesh.xyz[v];
        }
        part.push_back(sum.y > 0.3 ? 2 : sum.z > 0.1 ? 1 : 0);  // cuts through all clusters
    }
    std::vector<Layout> layouts;
    for (int rank = 0; rank < 3; ++rank) {
        layouts.push_back(Layout::of(c.model, c.topology, c.clusters, part, rank, kPerBlock));
    }
    std::size_t sent = 0, elements = 0;
    for (int rank = 0; rank < 3; ++rank) {
        for (const std::int64_t tet : layouts[rank].tets) {
            elements += tet >= 0 ? 1 : 0;
        }
        for (const Layout::Peer& peer : layouts[rank].peers) {
            ASSERT_NE(peer.rank, rank);
            const auto& back = layouts[peer.rank].peers;
            const auto there = std::ranges::find(back, rank, &Layout::Peer::rank);
            ASSERT_NE(there, back.end());
            for (int m = 0; m < c.clusters.n_clusters; ++m) {
                EXPECT_EQ(peer.sends[m].size(), there->receives[m].size()) << m;
                sent += peer.sends[m].size();
            }
        }
        for (int m = 0; m < c.clusters.n_clusters; ++m) {
            EXPECT_LE(layouts[rank].first[m], layouts[rank].copy_end[m]);
            EXPECT_LE(layouts[rank].copy_end[m], layouts[rank].first[m + 1]);
        }
    }
    EXPECT_EQ(elements, c.topology.tets.size());
    EXPECT_GT(sent, 0u);
}

}  // namespace
}  // namespace kaname::aderdg::layout_test
