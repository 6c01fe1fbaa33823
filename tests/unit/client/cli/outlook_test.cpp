// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "client/cli/common/preflight.hpp"
#include "proto/report/report.hpp"

namespace kaname::cli::outlook_test {
namespace {

const auto kEstimate = report::parse<v1::Estimate>(
    R"({"sources":10,"dof":61542,"steps":10,"packs":3,"solve_bytes":2e9,"mesh_s":10,)"
    R"("setup_s":5,"each_pack_s":100,"package_s":3,"spread":2})",
    "estimate");

TEST(Outlook, SaysTimeAsARange) {
    EXPECT_EQ(outlook(kEstimate, {}),
              "10 sources, 61,542 unknowns, 10 steps; needs about 1.9 GiB and 5:18, mostly within "
              "2:39 to 10:36");
}

TEST(Outlook, LacksWhatIsThere) {
    EXPECT_NE(outlook(kEstimate, {true, 0}).find("and 5:08, "), std::string::npos);
    EXPECT_NE(outlook(kEstimate, {true, 0}).find("the mesh has been made before"),
              std::string::npos);
    EXPECT_NE(outlook(kEstimate, {true, 4}).find("and 3:28, "), std::string::npos);
    EXPECT_NE(outlook(kEstimate, {true, 10}).find("and 3.0 s, "), std::string::npos);
}

}  // namespace
}  // namespace kaname::cli::outlook_test
