// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/comm_suite.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "solvers/base/error.hpp"
#include "tests/conformance/suite_support.hpp"

namespace kaname::conformance {
namespace {

using comm::Bytes;
using comm::Comm;
using comm::Message;

Bytes text(const std::string& s) {
    const auto bytes = std::as_bytes(std::span(s));
    return {bytes.begin(), bytes.end()};
}

std::string from_to(int from, int to) {
    // Lengths differ by pair; one of the pairs is empty.
    return std::string(static_cast<std::size_t>(2 * from + 3 * to), static_cast<char>('a' + from));
}

void sum_adds_over_ranks(Comm& comm) {
    std::vector<double> values = {1.0, static_cast<double>(comm.rank())};

    comm.sum(std::span<double>(values));

    const int size = comm.size();
    expect(values[0] == size, "the number of ranks");
    expect(values[1] == size * (size - 1) / 2, "the sum of rank numbers");
    expect(comm.sum(0.5) == 0.5 * size, "scalar sum");
}

void sum_is_bitwise_equal_on_every_rank(Comm& comm) {
    std::vector<double> values(1001);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::pow(10.0, comm.rank() % 3 * 7) / (1.0 + static_cast<double>(i));
    }
    std::vector<double> again = values;

    comm.sum(std::span<double>(values));
    comm.sum(std::span<double>(again));

    const auto bytes = std::as_bytes(std::span(values));
    const Bytes mine(bytes.begin(), bytes.end());
    for (const Bytes& theirs : comm.all_gather(mine)) {
        expect(theirs == mine, "the same bits on every rank");
    }
    expect(values == again, "the same bits the second time");
}

void integer_sum_is_exact(Comm& comm) {
    const std::int64_t big = (std::int64_t{1} << 58) + 1;
    const int size = comm.size();

    const std::int64_t positive = comm.sum(big);
    const std::int64_t negative = comm.sum(-big);
    const std::int64_t mixed = comm.sum(std::int64_t{-3 * comm.rank()});

    expect(positive == big * size, "no rounding above 2^53");
    expect(negative == -big * size, "negative numbers");
    expect(mixed == std::int64_t{-3} * size * (size - 1) / 2, "small negative numbers");
}

void max_takes_largest(Comm& comm) {
    std::vector<double> values = {-1.0 - comm.rank(), static_cast<double>(comm.rank())};

    comm.max(std::span<double>(values));

    expect(values[0] == -1.0, "the largest of negative numbers");
    expect(values[1] == comm.size() - 1, "the last rank's number");
    expect(comm.max(-std::numeric_limits<double>::infinity()) < 0.0, "minus infinity survives");
}

void empty_reduction_is_allowed(Comm& comm) {
    comm.sum(std::span<double>());
    comm.max(std::span<double>());
    comm.barrier();
}

void broadcast_replaces_content(Comm& comm) {
    for (int root = 0; root < comm.size(); ++root) {
        const std::string sent = "from " + std::to_string(root) + std::string(5000, '.');
        Bytes data = text(comm.rank() == root ? sent : std::string("old"));

        comm.broadcast(data, root);

        expect(data == text(sent), "the root's bytes");
    }
    Bytes nothing = text(comm.rank() == 0 ? "" : "old");
    comm.broadcast(nothing, 0);
    expect(nothing.empty(), "an empty broadcast empties");
}

void all_to_all_delivers_by_rank(Comm& comm) {
    std::vector<Bytes> outgoing;
    for (int to = 0; to < comm.size(); ++to) {
        outgoing.push_back(text(from_to(comm.rank(), to)));
    }

    const std::vector<Bytes> incoming = comm.all_to_all(outgoing);

    expect(incoming.size() == outgoing.size(), "one entry per rank");
    for (int from = 0; from < comm.size(); ++from) {
        expect(incoming[static_cast<std::size_t>(from)] == text(from_to(from, comm.rank())),
               "what rank " + std::to_string(from) + " sent");
    }
}

void all_gather_orders_by_rank(Comm& comm) {
    const std::vector<Bytes> all = comm.all_gather(text(from_to(comm.rank(), 0)));

    expect(all.size() == static_cast<std::size_t>(comm.size()), "one entry per rank");
    for (int rank = 0; rank < comm.size(); ++rank) {
        expect(all[static_cast<std::size_t>(rank)] == text(from_to(rank, 0)), "rank's own bytes");
    }
}

void exchange_moves_messages_in_a_ring(Comm& comm) {
    const int next = (comm.rank() + 1) % comm.size();
    const int previous = (comm.rank() + comm.size() - 1) % comm.size();
    for (int round = 0; round < 3; ++round) {
        Bytes out = text(from_to(comm.rank(), round + 1));
        Bytes in(from_to(previous, round + 1).size());
        const std::vector<Message> sends = {{next, out}};
        const std::vector<Message> receives = {{previous, in}};

        comm.start_exchange(sends, receives);
        comm.finish_exchange();

        expect(in == text(from_to(previous, round + 1)), "the previous rank's message");
    }
}

void exchange_involves_named_peers_only(Comm& comm) {
    const bool takes_part = comm.size() > 1 && comm.rank() < 2;
    if (takes_part) {
        Bytes out = text(std::string(100, static_cast<char>('x' + comm.rank())));
        Bytes in(100);
        const std::vector<Message> sends = {{1 - comm.rank(), out}};
        const std::vector<Message> receives = {{1 - comm.rank(), in}};

        comm.start_exchange(sends, receives);
        comm.finish_exchange();

        expect(in == text(std::string(100, static_cast<char>('y' - comm.rank()))), "peer's bytes");
    }
    comm.barrier();
}

void throw_if_any_passes_when_all_is_well(Comm& comm) {
    comm.throw_if_any(nullptr);
    expect(comm.sum(1.0) == comm.size(), "ranks go on together");
}

void throw_if_any_tells_every_rank(Comm& comm) {
    const int bad = comm.size() - 1;
    std::exception_ptr local;
    if (comm.rank() == bad) {
        local = std::make_exception_ptr(Error(ErrorCode::NotConverged, "no luck"));
    }
    std::string message;

    try {
        comm.throw_if_any(local);
    } catch (const Error& e) {
        message = e.what();
        expect(e.code() == ErrorCode::NotConverged, "the failing rank's code");
    }

    const std::string expected =
        comm.rank() == bad ? "no luck" : "rank " + std::to_string(bad) + ": no luck";
    expect(message == expected, "'" + expected + "', got '" + message + "'");
    expect(comm.sum(1.0) == comm.size(), "ranks can go on after handling it");
}

}  // namespace

const std::vector<CommCase>& comm_cases() {
    static const std::vector<CommCase> cases = {
        {"SumAddsOverRanks", sum_adds_over_ranks},
        {"SumIsBitwiseEqualOnEveryRank", sum_is_bitwise_equal_on_every_rank},
        {"IntegerSumIsExact", integer_sum_is_exact},
        {"MaxTakesLargest", max_takes_largest},
        {"EmptyReductionIsAllowed", empty_reduction_is_allowed},
        {"BroadcastReplacesContent", broadcast_replaces_content},
        {"AllToAllDeliversByRank", all_to_all_delivers_by_rank},
        {"AllGatherOrdersByRank", all_gather_orders_by_rank},
        {"ExchangeMovesMessagesInARing", exchange_moves_messages_in_a_ring},
        {"ExchangeInvolvesNamedPeersOnly", exchange_involves_named_peers_only},
        {"ThrowIfAnyPassesWhenAllIsWell", throw_if_any_passes_when_all_is_well},
        {"ThrowIfAnyTellsEveryRank", throw_if_any_tells_every_rank},
    };
    return cases;
}

}  // namespace kaname::conformance
