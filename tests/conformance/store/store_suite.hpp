// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/store/store.hpp"
#include "solvers/base/error.hpp"

namespace kaname::conformance {

/// A fresh store and the hand on its clock.
struct StoreUnderTest {
    std::unique_ptr<store::Store> store;
    std::function<void(double seconds)> advance;
    std::shared_ptr<const std::string> database = {};  ///< lent to the store, where it has one
};

struct StoreBackend {
    std::string name;
    std::function<StoreUnderTest(const store::StoreOptions&)> make;

    friend void PrintTo(const StoreBackend& backend, std::ostream* out) { *out << backend.name; }
};

/// All implementations.
[[nodiscard]] std::vector<StoreBackend> store_backends();

/// StoreConformance checks what every Store does; it is instantiated once per backend.
class StoreConformance : public testing::TestWithParam<StoreBackend> {
protected:
    StoreConformance() : under_test_(GetParam().make({})), store_(*under_test_.store) {}
    void SetUp() override {
        if (!under_test_.store) {
            GTEST_SKIP() << "no PostgreSQL on this machine";
        }
    }

    void advance(double seconds) { under_test_.advance(seconds); }
    /// Submits solve items of these seeds, by owner "ann", in pool "gpu", compatibility key "m".
    store::SubmitResult submit(const std::vector<std::string>& seeds, int priority = 0,
                               const std::string& compat_key = "m");
    store::SubmitResult submit_items(std::vector<store::WantedItem> items, int priority = 0);
    /// Registers the worker if need be and claims under a new claim_id.
    std::vector<store::ClaimedTask> claim(const std::string& worker, const std::string& held = "");
    store::LeaseResult complete(const std::string& worker, store::Held task,
                                const std::string& sha256 = "r");
    /// Returns the code of the error that a call throws; it is a failure of the test where none is.
    static ErrorCode code_of(const std::function<void()>& call);
    static std::set<std::string> keys_of(const std::vector<store::ClaimedTask>& pack);
    /// The counters add up, and the event numbers have no gaps.
    void expect_consistent(const std::string& job_id);

    StoreUnderTest under_test_;
    store::Store& store_;

private:
    int n_requests_ = 0, n_claims_ = 0;
};

}  // namespace kaname::conformance
