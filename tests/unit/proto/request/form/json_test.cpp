// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/json.hpp"

#include <gtest/gtest.h>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::request::json_test {
namespace {

v1::GreensBatch read(const std::string& json) {
    v1::GreensBatch batch;
    from_json(json, "text", batch);
    return batch;
}

TEST(Json, WhatWasStoredWithAnOptionWithoutEffectIsReadWithoutIt) {
    const v1::GreensBatch batch =
        read(R"({"name": "old", "mesh": {"growth": 0.1, "layers_above": 5, "layers_below": 8,)"
             R"( "size_far_m": 123456.78901234567}, "time": {"epochs_s": [0, 0.3]}})");

    EXPECT_EQ(batch.name(), "old");
    EXPECT_EQ(batch.mesh().growth(), 0.1);
    EXPECT_EQ(batch.mesh().size_far_m(), 123456.78901234567);
    EXPECT_EQ(batch.time().epochs_s(1), 0.3);
    EXPECT_EQ(to_json(batch).find("layers"), std::string::npos);
}

TEST(Json, AnyOtherUnknownFieldIsRefused) {
    EXPECT_THROW((void)read(R"({"mesh": {"layers": 5}})"), Error);
    EXPECT_THROW((void)read(R"({"mesh": {"layers_above": 5, "layers": 5}})"), Error);
    EXPECT_THROW((void)read(R"({"region": {"layers_above": 5}})"), Error);
}

}  // namespace
}  // namespace kaname::request::json_test
