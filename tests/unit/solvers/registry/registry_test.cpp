// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/registry/stages.hpp"

namespace kaname::registry {
namespace {

TEST(FindStages, KnowsViscoelastic) {
    EXPECT_EQ(&find_stages("viscoelastic"), &find_stages("viscoelastic"));
}

TEST(FindStages, UnknownNameIsNotFoundAndNamesTheKnownOnes) {
    try {
        (void)find_stages("poroelastic");
        FAIL() << "no error";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_NE(text.find("'poroelastic'"), std::string::npos) << text;
        EXPECT_NE(text.find("must be viscoelastic"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace kaname::registry
