// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <memory>

#include "server/store/postgres/postgres_store.hpp"
#include "tests/conformance/store/store_suite.hpp"
#include "tests/support/memory_store/memory_store.hpp"
#include "tests/support/postgres/private_postgres.hpp"

namespace kaname::conformance {
namespace {

StoreUnderTest make_memory(const store::StoreOptions& options) {
    // Shared by the store and the test's hand on the clock; either may go first.
    const auto now_s = std::make_shared<std::atomic<double>>(1000);
    return {
        std::make_unique<store::memory::MemoryStore>(options, [now_s] { return now_s->load(); }),
        [now_s](double seconds) { now_s->store(now_s->load() + seconds); }};
}

StoreUnderTest make_postgres(const store::StoreOptions& options) {
    support::PrivatePostgres& server = support::PrivatePostgres::instance();
    if (!server.absent().empty()) {
        return {};
    }
    auto database = server.borrow_migrated_database();
    auto made = std::make_unique<store::PostgresStore>(*database, options);
    store::PostgresStore* reached = made.get();
    const auto ahead_s = std::make_shared<double>(0);
    return {std::move(made),
            [reached, ahead_s](double seconds) {
                *ahead_s += seconds;
                reached->set_clock_offset(*ahead_s);
            },
            std::move(database)};
}

/// Every job of more than two items is a large one, and no list finds much without an index.
StoreUnderTest make_postgres_in_pieces(store::StoreOptions options) {
    options.bulk_piece = 2;
    options.dataset_walk = 2;
    return make_postgres(options);
}

std::string name_of(const testing::TestParamInfo<StoreBackend>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Store, StoreConformance, testing::ValuesIn(store_backends()), name_of);

}  // namespace

std::vector<StoreBackend> store_backends() {
    return {{"Memory", make_memory},
            {"Postgres", make_postgres},
            {"PostgresInPieces", make_postgres_in_pieces}};
}

}  // namespace kaname::conformance
