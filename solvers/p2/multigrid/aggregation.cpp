// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace kaname::multigrid {
namespace {

constexpr int kRigid = 6;

double norm2(const double* block, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += block[k] * block[k];
    }
    return sum;
}

/// Frobenius norm of each diagonal block.
std::vector<double> diagonal_norms(const BlockMatrix& A) {
    std::vector<double> norms(A.n_rows(), 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            if (A.col[k] == row) {
                norms[row] = std::sqrt(norm2(A.val.data() + k * A.block_size(), A.block_size()));
            }
        }
    }
    return norms;
}

/// Items without any stiffness: all their degrees of freedom are fixed. They join no aggregate.
std::vector<std::uint8_t> dead_items(const std::vector<double>& diagonal) {
    std::vector<std::uint8_t> dead(diagonal.size());
    std::transform(diagonal.begin(), diagonal.end(), dead.begin(),
                   [](double d) { return d == 0.0 ? 1 : 0; });
    return dead;
}

struct Strong {
    std::int32_t item;
    double coupling;
};

std::vector<std::vector<Strong>> strong_graph(const BlockMatrix& A,
                                              std::span<const std::uint8_t> owned,
                                              const std::vector<double>& diagonal,
                                              double strength) {
    std::vector<std::vector<Strong>> graph(A.n_rows());
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        if (!owned.empty() && owned[row] == 0) {
            continue;
        }
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            const std::int32_t other = A.col[k];
            if (other == row || (!owned.empty() && owned[other] == 0)) {
                continue;
            }
            const double scale = diagonal[row] * diagonal[other];
            const double c2 = norm2(A.val.data() + k * A.block_size(), A.block_size());
            if (scale > 0.0 && c2 > strength * strength * scale) {
                graph[row].push_back({other, c2 / scale});
            }
        }
    }
    return graph;
}

/// Rigid motion of an aggregate (centre C, scale S) as unknowns of a member: [block][6].
///   vertex x:        u = T + W/S x (x - C)
///   aggregate c, s:  t = T + W/S x (c - C),  w = W s/S
std::vector<double> rigid_block(int block, const Vec3& x, double s, const Vec3& C, double S) {
    std::vector<double> P(block * kRigid, 0.0);
    const Vec3 d = (S > 0.0 ? 1.0 / S : 0.0) * (x - C);
    const double spin[3][3] = {{0.0, d.z, -d.y}, {-d.z, 0.0, d.x}, {d.y, -d.x, 0.0}};
    for (int i = 0; i < 3; ++i) {
        P[i * kRigid + i] = 1.0;
        for (int j = 0; j < 3; ++j) {
            P[i * kRigid + 3 + j] = spin[i][j];
        }
    }
    if (block == kRigid && S > 0.0) {
        for (int i = 3; i < kRigid; ++i) {
            P[i * kRigid + i] = s / S;
        }
    }
    return P;
}

/// An aggregate as every rank that needs it knows it; gid -1: none (a dead item).
struct Aggregate {
    std::int64_t gid;
    Vec3 centre;
    double scale;
};

/// Block of one row of A P_rigid.
struct Entry {
    Aggregate aggregate;
    double block[kRigid * kRigid];
};
using Row = std::map<std::int64_t, Entry>;

void add_to(Row& row, const Entry& entry, int size) {
    auto [place, fresh] = row.try_emplace(entry.aggregate.gid, entry);
    for (int k = 0; !fresh && k < size; ++k) {
        place->second.block[k] += entry.block[k];
    }
}

/// The aggregate of each local item: owners compute, the other copies are told.
std::vector<Aggregate> item_aggregates(Items& items, const std::vector<std::int32_t>& own,
                                       std::int32_t n_own, std::int64_t offset) {
    std::vector<Vec3> centre(n_own);
    std::vector<double> count(n_own, 0.0);
    std::vector<double> spread(n_own, 0.0);
    for (std::int32_t item = 0; item < items.size(); ++item) {
        if (own[item] >= 0) {
            centre[own[item]] += items.centre[item];
            count[own[item]] += 1.0;
        }
    }
    for (std::int32_t a = 0; a < n_own; ++a) {
        centre[a] = (1.0 / count[a]) * centre[a];
    }
    for (std::int32_t item = 0; item < items.size(); ++item) {
        if (own[item] >= 0) {
            const Vec3 d = items.centre[item] - centre[own[item]];
            spread[own[item]] += dot(d, d) + items.scale[item] * items.scale[item];
        }
    }
    constexpr int kWidth = 5;
    std::vector<double> told(std::size_t(items.size()) * kWidth, 0.0);
    for (std::int32_t item = 0; item < items.size(); ++item) {
        if (const std::int32_t a = own[item]; a >= 0) {
            double* t = told.data() + std::size_t(item) * kWidth;
            t[0] = static_cast<double>(offset + a + 1);  // 0 stays "none"
            t[1] = centre[a].x;
            t[2] = centre[a].y;
            t[3] = centre[a].z;
            t[4] = std::sqrt(spread[a] / count[a]);
        }
    }
    items.halo.sum(std::span<double>(told), kWidth);
    std::vector<Aggregate> result(items.size());
    for (std::int32_t item = 0; item < items.size(); ++item) {
        const double* t = told.data() + std::size_t(item) * kWidth;
        result[item] = {static_cast<std::int64_t>(t[0]) - 1, {t[1], t[2], t[3]}, t[4]};
    }
    return result;
}

/// Completes the rows of shared items with the other ranks' parts, in ascending rank order so that
/// every copy gets the same bits.
void sum_shared_rows(std::vector<Row>& rows, const Items& items, int size, comm::Comm& comm) {
    std::vector<comm::Bytes> outgoing(comm.size());
    const auto put = [](comm::Bytes& out, const auto& value) {
        const auto* p = reinterpret_cast<const std::byte*>(&value);
        out.insert(out.end(), p, p + sizeof value);
    };
    for (const auto& neighbour : items.halo.neighbours()) {
        for (const std::int32_t item : neighbour.items) {
            put(outgoing[neighbour.rank], static_cast<std::int64_t>(rows[item].size()));
            for (const auto& [gid, entry] : rows[item]) {
                put(outgoing[neighbour.rank], entry);
            }
        }
    }
    const std::vector<comm::Bytes> incoming = comm.all_to_all(outgoing);
    std::map<std::int32_t, Row> own;
    for (const std::int32_t item : items.halo.shared()) {
        own[item].swap(rows[item]);
    }
    const auto add_own = [&] {
        for (const auto& [item, row] : own) {
            for (const auto& [gid, entry] : row) {
                add_to(rows[item], entry, size);
            }
        }
        own.clear();
    };
    for (const auto& neighbour : items.halo.neighbours()) {
        if (neighbour.rank > comm.rank()) {
            add_own();
        }
        const std::byte* in = incoming[neighbour.rank].data();
        for (const std::int32_t item : neighbour.items) {
            std::int64_t count = 0;
            std::memcpy(&count, in, sizeof count);
            in += sizeof count;
            for (std::int64_t k = 0; k < count; ++k) {
                Entry entry;
                std::memcpy(&entry, in, sizeof entry);
                in += sizeof entry;
                add_to(rows[item], entry, size);
            }
        }
    }
    add_own();
}

}  // namespace

std::vector<std::int32_t> aggregate(const BlockMatrix& A, std::span<const std::uint8_t> owned,
                                    double strength, std::int32_t& n_aggregates) {
    const std::vector<double> diagonal = diagonal_norms(A);
    const auto dead = dead_items(diagonal);
    const auto graph = strong_graph(A, owned, diagonal, strength);
    std::vector<std::int32_t> own(A.n_rows(), -1);
    const auto mine = [&](std::int32_t item) {
        return dead[item] == 0 && (owned.empty() || owned[item] != 0);
    };
    n_aggregates = 0;
    for (std::int32_t item = 0; item < A.n_rows(); ++item) {
        const bool free = mine(item) && own[item] < 0 && !graph[item].empty() &&
                          std::all_of(graph[item].begin(), graph[item].end(),
                                      [&](const Strong& s) { return own[s.item] < 0; });
        if (free) {
            own[item] = n_aggregates;
            for (const Strong& s : graph[item]) {
                own[s.item] = n_aggregates;
            }
            ++n_aggregates;
        }
    }
    const std::vector<std::int32_t> seeds = own;
    for (std::int32_t item = 0; item < A.n_rows(); ++item) {
        double best = 0.0;
        for (const Strong& s : graph[item]) {
            if (own[item] < 0 || seeds[item] < 0) {
                if (seeds[s.item] >= 0 && s.coupling > best) {
                    best = s.coupling;
                    own[item] = seeds[s.item];
                }
            }
        }
    }
    for (std::int32_t item = 0; item < A.n_rows(); ++item) {
        if (mine(item) && own[item] < 0) {
            own[item] = n_aggregates;
            for (const Strong& s : graph[item]) {
                if (own[s.item] < 0) {
                    own[s.item] = n_aggregates;
                }
            }
            ++n_aggregates;
        }
    }
    return own;
}

CoarseLevel coarsen(const BlockMatrix& A, Items& items, std::span<const double> inverse_diagonal,
                    std::span<const std::int32_t> fixed, double lambda_max, double strength,
                    comm::Comm& comm) {
    const int block = items.block;
    std::int32_t n_own = 0;
    const auto own = aggregate(A, items.halo.owned_mask(), strength, n_own);
    std::int64_t offset = 0;
    std::int64_t n_global = 0;
    const auto counts =
        comm.all_gather(comm::Bytes(reinterpret_cast<const std::byte*>(&n_own),
                                    reinterpret_cast<const std::byte*>(&n_own) + sizeof n_own));
    for (int rank = 0; rank < comm.size(); ++rank) {
        std::int32_t n = 0;
        std::memcpy(&n, counts[rank].data(), sizeof n);
        offset += rank < comm.rank() ? n : 0;
        n_global += n;
    }
    const std::vector<Aggregate> member = item_aggregates(items, own, n_own, offset);

    std::vector<std::vector<double>> rigid(items.size());
    for (std::int32_t item = 0; item < items.size(); ++item) {
        rigid[item] = rigid_block(block, items.centre[item], items.scale[item], member[item].centre,
                                  member[item].scale);
    }
    std::vector<std::uint8_t> is_fixed(std::size_t(items.size()) * block, 0);
    for (const std::int32_t dof : fixed) {
        is_fixed[dof] = 1;
        std::fill_n(rigid[dof / block].begin() + (dof % block) * kRigid, kRigid, 0.0);
    }

    const int size = block * kRigid;
    std::vector<Row> rows(items.size());  // A P_rigid
    for (std::int32_t row = 0; row < items.size(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            if (member[A.col[k]].gid < 0) {
                continue;
            }
            Entry entry{member[A.col[k]], {}};
            const double* a = A.val.data() + k * A.block_size();
            const auto& p = rigid[A.col[k]];
            for (int i = 0; i < block; ++i) {
                for (int m = 0; m < block; ++m) {
                    for (int j = 0; j < kRigid; ++j) {
                        entry.block[i * kRigid + j] += a[i * block + m] * p[m * kRigid + j];
                    }
                }
            }
            add_to(rows[row], entry, size);
        }
    }
    sum_shared_rows(rows, items, size, comm);

    CoarseLevel coarse;
    coarse.n_global = n_global;
    std::map<std::int64_t, Aggregate> known;
    const double omega = 4.0 / (3.0 * lambda_max);
    for (std::int32_t item = 0; item < items.size(); ++item) {
        Row smoothed;
        for (auto& [gid, entry] : rows[item]) {
            Entry change{entry.aggregate, {}};
            const double* D = inverse_diagonal.data() + std::size_t(item) * block * block;
            for (int i = 0; i < block; ++i) {
                for (int m = 0; m < block && is_fixed[item * block + i] == 0; ++m) {
                    for (int j = 0; j < kRigid; ++j) {
                        change.block[i * kRigid + j] -=
                            omega * D[i * block + m] * entry.block[m * kRigid + j];
                    }
                }
            }
            smoothed.emplace(gid, change);
            known.emplace(gid, entry.aggregate);
        }
        if (member[item].gid < 0) {
            rows[item].clear();
            continue;
        }
        Entry start{member[item], {}};
        std::copy(rigid[item].begin(), rigid[item].end(), start.block);
        add_to(smoothed, start, size);
        known.emplace(member[item].gid, member[item]);
        rows[item] = std::move(smoothed);
    }

    coarse.items.block = kRigid;
    std::map<std::int64_t, std::int32_t> local;
    for (const auto& [gid, aggregate] : known) {
        local.emplace(gid, static_cast<std::int32_t>(coarse.items.gid.size()));
        coarse.items.gid.push_back(gid);
        coarse.items.centre.push_back(aggregate.centre);
        coarse.items.scale.push_back(aggregate.scale);
    }
    coarse.items.halo = comm::Halo(comm, coarse.items.gid);
    coarse.P.R = block;
    coarse.P.C = kRigid;
    coarse.P.n_cols = coarse.items.size();
    for (const Row& row : rows) {
        std::map<std::int32_t, std::vector<double>> blocks;
        for (const auto& [gid, entry] : row) {
            blocks.emplace(local.at(gid), std::vector<double>(entry.block, entry.block + size));
        }
        coarse.P.append_row(blocks);
    }
    coarse.A = multiply(coarse.P.transposed({}), multiply(A, coarse.P));
    return coarse;
}

}  // namespace kaname::multigrid
