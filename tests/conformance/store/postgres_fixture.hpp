// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/store/types.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/support/postgres/private_postgres.hpp"

namespace kaname::conformance {

/// A new database per test, and jobs to fill it with.
class PostgresTest : public testing::Test {
protected:
    void SetUp() override {
        if (!support::PrivatePostgres::instance().absent().empty()) {
            GTEST_SKIP() << support::PrivatePostgres::instance().absent();
        }
        conninfo_ = support::PrivatePostgres::instance().new_migrated_database();
    }
    /// Takes a database without migrations instead.
    void take_empty_database() { conninfo_ = support::PrivatePostgres::instance().new_database(); }
    /// Sources `first` ... `first + count - 1`, then the mesh that all jobs share, then the
    /// package.
    static store::Submission batch(int first, int count, const std::string& request) {
        store::Submission submission;
        submission.principal = submission.owner = "ann";
        submission.request_id = request;
        submission.body_sha256 = sha256_hex(request);
        submission.name = "batch";
        submission.request = "{}";
        const std::string mesh = sha256_hex("mesh");
        store::WantedItem package{
            sha256_hex("package " + request), "package", "", "cpu", {mesh}, "package", ""};
        for (int k = first; k < first + count; ++k) {
            submission.items.push_back({sha256_hex("source " + std::to_string(k)),
                                        "solve",
                                        "m",
                                        "solve",
                                        {mesh},
                                        std::to_string(k),
                                        "",
                                        {},
                                        true});
            package.gathers.push_back(submission.items.back().content_key);
        }
        submission.items.push_back({mesh, "mesh", "", "cpu", {}, "mesh", ""});
        submission.items.push_back(package);
        return submission;
    }
    static const std::vector<std::string>& pools() {
        static const std::vector<std::string> both = {"cpu", "solve"};
        return both;
    }

    std::string conninfo_;
};

}  // namespace kaname::conformance
