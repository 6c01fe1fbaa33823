// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "solvers/parallel/loops.hpp"

namespace kaname::multigrid {
namespace {

constexpr int kRigid = 6;

/// Rigid motion of an aggregate (centre C, scale S) as unknowns of a member: [block][6].
///   vertex x:        u = T + W/S x (x - C)
///   aggregate c, s:  t = T + W/S x (c - C),  w = W s/S
void rigid_block(int block, const Vec3& x, double s, const Vec3& C, double S, double* P) {
    const Vec3 d = (S > 0.0 ? 1.0 / S : 0.0) * (x - C);
    const double spin[3][3] = {{0.0, d.z, -d.y}, {-d.z, 0.0, d.x}, {d.y, -d.x, 0.0}};
    std::fill_n(P, block * kRigid, 0.0);
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

/// Place of an aggregate among items in ascending order.
std::int32_t place_of(const Items& items, std::int64_t gid) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(items.gid, gid) - items.gid.begin());
}

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
void sum_shared_rows(std::map<std::int32_t, Row>& rows, const Items& items, int size,
                     comm::Comm& comm) {
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

/// Blocks of A P_rigid by the aggregate of their column, rows of several ranks not yet summed.
class RigidProduct {
public:
    RigidProduct(const BlockMatrix& A, const Items& items, std::vector<Aggregate> member,
                 std::span<const std::uint8_t> is_fixed)
        : A_(A), member_(std::move(member)), size_(items.block * kRigid) {
        rigid_.resize(std::size_t(items.size()) * size_);
        parallel_for(items.size(), [&](std::int64_t item) {
            double* P = rigid_.data() + item * size_;
            rigid_block(items.block, items.centre[item], items.scale[item], member_[item].centre,
                        member_[item].scale, P);
            for (int i = 0; i < items.block; ++i) {
                if (is_fixed[item * items.block + i] != 0) {
                    std::fill_n(P + i * kRigid, kRigid, 0.0);
                }
            }
        });
    }

    [[nodiscard]] const Aggregate& member(std::int64_t item) const { return member_[item]; }
    [[nodiscard]] const double* rigid(std::int64_t item) const {
        return rigid_.data() + item * size_;
    }
    /// block of an entry of A, times the rigid motions of its column.
    void add_block(std::int64_t k, double* sum) const {
        double block[kRigid * kRigid] = {};
        const double* a = A_.val.data() + k * A_.block_size();
        const double* p = rigid(A_.col[k]);
        for (int i = 0; i < A_.R; ++i) {
            for (int m = 0; m < A_.R; ++m) {
                for (int j = 0; j < kRigid; ++j) {
                    block[i * kRigid + j] += a[i * A_.R + m] * p[m * kRigid + j];
                }
            }
        }
        for (int k2 = 0; k2 < size_; ++k2) {
            sum[k2] += block[k2];
        }
    }
    /// A row that other ranks have parts of.
    [[nodiscard]] Row row(std::int32_t item) const {
        Row row;
        for (std::int64_t k = A_.row_ptr[item]; k < A_.row_ptr[item + 1]; ++k) {
            const Aggregate& of = member_[A_.col[k]];
            if (of.gid >= 0) {
                add_block(k, row.try_emplace(of.gid, Entry{of, {}}).first->second.block);
            }
        }
        return row;
    }

private:
    const BlockMatrix& A_;
    std::vector<Aggregate> member_;
    std::vector<double> rigid_;
    int size_;
};

/// The aggregates that this rank needs, ascending, as items; of each local item its place there.
Items coarse_items(const RigidProduct& product, const std::map<std::int32_t, Row>& shared,
                   std::int32_t n_items, std::vector<std::int32_t>& place, comm::Comm& comm) {
    std::vector<Aggregate> known;
    for (std::int32_t item = 0; item < n_items; ++item) {
        if (product.member(item).gid >= 0) {
            known.push_back(product.member(item));
        }
    }
    for (const auto& [item, row] : shared) {
        for (const auto& [gid, entry] : row) {
            known.push_back(entry.aggregate);
        }
    }
    std::ranges::sort(known, {}, &Aggregate::gid);
    const auto rest = std::ranges::unique(known, {}, &Aggregate::gid);
    known.erase(rest.begin(), rest.end());
    Items coarse;
    coarse.block = kRigid;
    for (const Aggregate& aggregate : known) {
        coarse.gid.push_back(aggregate.gid);
        coarse.centre.push_back(aggregate.centre);
        coarse.scale.push_back(aggregate.scale);
    }
    coarse.halo = comm::Halo(comm, coarse.gid);
    place.assign(n_items, -1);
    parallel_for(n_items, [&](std::int64_t item) {
        if (const std::int64_t gid = product.member(item).gid; gid >= 0) {
            place[item] = place_of(coarse, gid);
        }
    });
    return coarse;
}

/// P = (I - omega D^-1 A) P_rigid, row by row.
class SmoothedProlongation {
public:
    SmoothedProlongation(const BlockMatrix& A, const RigidProduct& product,
                         const std::map<std::int32_t, Row>& shared, const Items& coarse,
                         std::span<const std::int32_t> place)
        : A_(A), product_(product), coarse_(coarse), place_(place) {
        shared_.assign(A.n_rows(), nullptr);
        for (const auto& [item, row] : shared) {
            shared_[item] = &row;
        }
    }

    /// Columns of the row of an item that belongs to an aggregate, ascending.
    void columns(std::int32_t item, std::vector<std::int32_t>& found) const {
        found.assign(1, place_[item]);
        if (shared_[item] != nullptr) {
            for (const auto& [gid, entry] : *shared_[item]) {
                found.push_back(place_of(coarse_, gid));
            }
        } else {
            for (std::int64_t k = A_.row_ptr[item]; k < A_.row_ptr[item + 1]; ++k) {
                // Neighbours are of few aggregates, often of the same.
                const std::int32_t column = place_[A_.col[k]];
                if (column >= 0 && std::find(found.begin(), found.end(), column) == found.end()) {
                    found.push_back(column);
                }
            }
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    /// A P_rigid of the row into zeroed blocks, one per column.
    void add_product(std::int32_t item, std::span<const std::int32_t> columns, int size,
                     double* blocks) const {
        const auto block = [&](std::int32_t column) {
            const auto at = std::lower_bound(columns.begin(), columns.end(), column);
            return blocks + (at - columns.begin()) * size;
        };
        if (shared_[item] != nullptr) {
            for (const auto& [gid, entry] : *shared_[item]) {
                std::copy_n(entry.block, size, block(place_of(coarse_, gid)));
            }
            return;
        }
        for (std::int64_t k = A_.row_ptr[item]; k < A_.row_ptr[item + 1]; ++k) {
            if (const std::int32_t column = place_[A_.col[k]]; column >= 0) {
                product_.add_block(k, block(column));
            }
        }
    }

private:
    const BlockMatrix& A_;
    const RigidProduct& product_;
    const Items& coarse_;
    std::span<const std::int32_t> place_;
    std::vector<const Row*> shared_;
};

}  // namespace

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
    std::vector<std::uint8_t> is_fixed(std::size_t(items.size()) * block, 0);
    for (const std::int32_t dof : fixed) {
        is_fixed[dof] = 1;
    }
    const int size = block * kRigid;
    CoarseLevel coarse;
    coarse.n_global = n_global;
    {
        const RigidProduct product(A, items, item_aggregates(items, own, n_own, offset), is_fixed);
        std::map<std::int32_t, Row> shared;
        for (const std::int32_t item : items.halo.shared()) {
            shared.emplace(item, product.row(item));
        }
        sum_shared_rows(shared, items, size, comm);
        std::vector<std::int32_t> place;
        coarse.items = coarse_items(product, shared, items.size(), place, comm);
        const SmoothedProlongation rows(A, product, shared, coarse.items, place);
        coarse.P.R = block;
        coarse.P.C = kRigid;
        coarse.P.n_cols = coarse.items.size();
        coarse.P.row_ptr.assign(items.size() + 1, 0);
        parallel_ranges(items.size(), kRange, [&](std::int64_t begin, std::int64_t end) {
            std::vector<std::int32_t> columns;
            for (auto item = static_cast<std::int32_t>(begin); item < end; ++item) {
                if (place[item] >= 0) {
                    rows.columns(item, columns);
                    coarse.P.row_ptr[item] = std::ssize(columns);
                }
            }
        });
        coarse.P.col.resize(exclusive_sum(std::span(coarse.P.row_ptr)));
        coarse.P.val.resize(coarse.P.col.size() * size);
        const double omega = 4.0 / (3.0 * lambda_max);
        parallel_ranges(items.size(), kRange, [&](std::int64_t begin, std::int64_t end) {
            std::vector<std::int32_t> columns;
            std::vector<double> blocks;
            for (auto item = static_cast<std::int32_t>(begin); item < end; ++item) {
                if (place[item] < 0) {
                    continue;
                }
                rows.columns(item, columns);
                blocks.assign(columns.size() * size, 0.0);
                rows.add_product(item, columns, size, blocks.data());
                const double* D = inverse_diagonal.data() + std::size_t(item) * block * block;
                for (std::size_t at = 0; at < columns.size(); ++at) {
                    const double* AP = blocks.data() + at * size;
                    double* P = coarse.P.val.data() + (coarse.P.row_ptr[item] + at) * size;
                    coarse.P.col[coarse.P.row_ptr[item] + at] = columns[at];
                    for (int i = 0; i < block; ++i) {
                        for (int m = 0; m < block && is_fixed[item * block + i] == 0; ++m) {
                            for (int j = 0; j < kRigid; ++j) {
                                P[i * kRigid + j] -= omega * D[i * block + m] * AP[m * kRigid + j];
                            }
                        }
                    }
                    for (int k = 0; k < size && columns[at] == place[item]; ++k) {
                        P[k] += product.rigid(item)[k];
                    }
                }
            }
        });
    }
    coarse.A = multiply(coarse.P.transposed({}), multiply(A, coarse.P));
    return coarse;
}

}  // namespace kaname::multigrid
