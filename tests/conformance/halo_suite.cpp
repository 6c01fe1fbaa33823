// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/comm/halo.hpp"
#include "tests/conformance/comm_suite.hpp"
#include "tests/conformance/suite_support.hpp"

namespace kaname::conformance {
namespace {

using comm::Bytes;
using comm::Comm;
using comm::Halo;
using Ids = std::vector<std::int64_t>;

// Who holds what, known to every rank: id 7 everywhere (except on rank 1), each id 100 + r on
// ranks r and r + 1, each 1000 + 10 r alone on r. Rank 1 holds nothing when there are three or
// more.
bool has_items(int rank, int size) {
    return size < 3 || rank != 1;
}

Ids ids_of(int rank, int size) {
    Ids ids;
    if (!has_items(rank, size)) {
        return ids;
    }
    ids = {1000 + 10 * rank, 7, 100 + rank};
    if (rank > 0) {
        ids.insert(ids.begin(), 100 + rank - 1);
    }
    return ids;
}

std::map<std::int64_t, std::vector<int>> holders_of(int size) {
    std::map<std::int64_t, std::vector<int>> holders;
    for (int rank = 0; rank < size; ++rank) {
        for (const std::int64_t id : ids_of(rank, size)) {
            holders[id].push_back(rank);
        }
    }
    return holders;
}

// Partial sums that do not add exactly: their order shows in the bits.
double partial(std::int64_t id, int rank, int comp) {
    return std::pow(10.0, 5 * (rank % 4)) / (3.0 + static_cast<double>(id) + comp);
}

template <class T>
std::vector<T> partials(const Ids& ids, int rank, int width) {
    std::vector<T> values;
    for (const std::int64_t id : ids) {
        for (int comp = 0; comp < width; ++comp) {
            values.push_back(static_cast<T>(partial(id, rank, comp)));
        }
    }
    return values;
}

template <class T>
void expect_serial_sums(Comm& comm, Halo& halo, const Ids& ids, int width) {
    std::vector<T> values = partials<T>(ids, comm.rank(), width);

    halo.sum(std::span<T>(values), width);

    const auto holders = holders_of(comm.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        for (int comp = 0; comp < width; ++comp) {
            T sum = 0;
            for (const int rank : holders.at(ids[i])) {
                sum += static_cast<T>(partial(ids[i], rank, comp));
            }
            const T got =
                values[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(comp)];
            expect(std::memcmp(&got, &sum, sizeof(T)) == 0,
                   "the bits of the sum in rank order for id " + std::to_string(ids[i]));
        }
    }
}

void sums_equal_serial_sums_in_rank_order(Comm& comm) {
    const Ids ids = ids_of(comm.rank(), comm.size());
    Halo halo(comm, ids);

    for (const int width : {3, 1, 12, 3}) {
        expect_serial_sums<double>(comm, halo, ids, width);
        expect_serial_sums<float>(comm, halo, ids, width);
        expect_serial_sums<std::int64_t>(comm, halo, ids, width);
    }
    expect_serial_sums<std::int32_t>(comm, halo, Ids(ids), 2);
}

void lowest_holder_owns(Comm& comm) {
    const Ids ids = ids_of(comm.rank(), comm.size());

    const Halo halo(comm, ids);

    const auto holders = holders_of(comm.size());
    std::int64_t owned = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const bool lowest = holders.at(ids[i]).front() == comm.rank();
        expect(halo.owned(static_cast<std::int32_t>(i)) == lowest, "the lowest holder owns");
        owned += lowest ? 1 : 0;
    }
    expect(comm.sum(owned) == static_cast<std::int64_t>(holders.size()), "each item counts once");
}

void neighbours_agree_on_order(Comm& comm) {
    const Ids ids = ids_of(comm.rank(), comm.size());

    const Halo halo(comm, ids);

    std::vector<Bytes> lists(static_cast<std::size_t>(comm.size()));
    std::vector<std::int32_t> shared;
    int last = -1;
    for (const Halo::Neighbour& neighbour : halo.neighbours()) {
        expect(neighbour.rank > last && neighbour.rank != comm.rank(), "ascending other ranks");
        last = neighbour.rank;
        Ids global;
        for (const std::int32_t item : neighbour.items) {
            global.push_back(ids[static_cast<std::size_t>(item)]);
            shared.push_back(item);
        }
        expect(!global.empty() && std::is_sorted(global.begin(), global.end()), "ascending ids");
        const auto bytes = std::as_bytes(std::span(global));
        lists[static_cast<std::size_t>(neighbour.rank)].assign(bytes.begin(), bytes.end());
    }
    expect(comm.all_to_all(lists) == lists, "the same list on both sides");
    std::sort(shared.begin(), shared.end());
    shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
    expect(halo.shared() == shared, "shared() is the union over neighbours");
}

void start_and_finish_may_be_apart(Comm& comm) {
    const Ids ids = ids_of(comm.rank(), comm.size());
    Halo halo(comm, ids);
    std::vector<double> values(ids.size(), 1.0);

    halo.sum_start(std::span<const double>(values), 1);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        values[i] += ids[i] >= 1000 ? 41.0 : 0.0;  // not shared
    }
    halo.sum_finish(std::span<double>(values), 1);

    const auto holders = holders_of(comm.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const double expected =
            ids[i] >= 1000 ? 42.0 : static_cast<double>(holders.at(ids[i]).size());
        expect(values[i] == expected, "one per holder, local work kept");
    }
}

void nothing_shared_changes_nothing(Comm& comm) {
    const Ids ids = {2 * comm.rank(), 2 * comm.rank() + 1};
    Halo halo(comm, ids);
    std::vector<double> values = {0.1, 0.2};

    halo.sum(std::span<double>(values), 1);

    expect(values == std::vector<double>{0.1, 0.2}, "unchanged values");
    expect(halo.neighbours().empty() && halo.shared().empty(), "no neighbours");
    expect(halo.owned(0) && halo.owned(1), "own items owned");
}

void halo_without_any_items_works(Comm& comm) {
    Halo halo(comm, {});
    std::vector<double> values;

    halo.sum(std::span<double>(values), 3);

    expect(halo.neighbours().empty(), "no neighbours");
}

void bad_ids_fail_on_every_rank(Comm& comm) {
    for (const Ids& bad : {Ids{5, 3, 5}, Ids{1, -4}}) {
        const Ids ids = comm.rank() == comm.size() - 1 ? bad : Ids{1, 2};
        bool thrown = false;

        try {
            const Halo halo(comm, ids);
        } catch (const Error& e) {
            thrown = e.code() == ErrorCode::InvalidArgument &&
                     std::string(e.what()).find("global_ids[") != std::string::npos;
        }

        expect(thrown, "InvalidArgument naming the place");
    }
}

void wrong_size_is_refused_where_items_are_shared(Comm& comm) {
    const Ids ids = {1, 2};
    Halo halo(comm, ids);
    std::vector<double> values(5, 0.0);
    bool thrown = false;

    try {
        halo.sum(std::span<double>(values), 2);
    } catch (const Error& e) {
        thrown = e.code() == ErrorCode::InvalidArgument;
    }

    expect(thrown == (comm.size() > 1), "InvalidArgument for 5 values of 2 items");
}

}  // namespace

const std::vector<CommCase>& halo_cases() {
    static const std::vector<CommCase> cases = {
        {"SumsEqualSerialSumsInRankOrder", sums_equal_serial_sums_in_rank_order},
        {"LowestHolderOwns", lowest_holder_owns},
        {"NeighboursAgreeOnOrder", neighbours_agree_on_order},
        {"StartAndFinishMayBeApart", start_and_finish_may_be_apart},
        {"NothingSharedChangesNothing", nothing_shared_changes_nothing},
        {"HaloWithoutAnyItemsWorks", halo_without_any_items_works},
        {"BadIdsFailOnEveryRank", bad_ids_fail_on_every_rank},
        {"WrongSizeIsRefusedWhereItemsAreShared", wrong_size_is_refused_where_items_are_shared},
    };
    return cases;
}

}  // namespace kaname::conformance
