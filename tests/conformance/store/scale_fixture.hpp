// SPDX-License-Identifier: BSD-3-Clause
// A store whose packs are claimed and completed in one call.
#pragma once
#include <string>
#include <vector>

#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance {

class ScaleTest : public PostgresTest {
protected:
    /// Claims and completes one pack; returns its labels.
    static std::vector<std::string> do_pack(store::PostgresStore& store,
                                            const std::string& worker) {
        std::vector<store::Completion> results;
        std::vector<std::string> labels;
        for (const store::ClaimedTask& task :
             store.claim({worker, pools(), store::make_uuid(), "", ""})) {
            results.push_back({task.held(), sha256_hex(task.label), "", 1, false});
            labels.push_back(task.label);
        }
        for (const store::LeaseResult result : store.complete(worker, results)) {
            EXPECT_EQ(result, store::LeaseResult::Ok);
        }
        return labels;
    }
};

}  // namespace kaname::conformance
