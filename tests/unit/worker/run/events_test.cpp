// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/events.hpp"

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

namespace kaname::run::events_test {
namespace {

TEST(Events, ProgressSurvivesTheLine) {
    const std::string line = to_line(Progress{"solve", 0.25, 12.5, "step 3/12"});

    const auto progress = std::get<Progress>(parse_line(line));

    EXPECT_EQ(line.substr(0, 8), "@kaname ");
    EXPECT_EQ(progress.stage, "solve");
    EXPECT_EQ(progress.fraction, 0.25);
    EXPECT_EQ(progress.eta_s, 12.5);
    EXPECT_EQ(progress.text, "step 3/12");
}

TEST(Events, ProgressWithoutEtaHasNone) {
    const auto progress = std::get<Progress>(parse_line(to_line(Progress{"mesh", 0.0, {}, ""})));

    EXPECT_FALSE(progress.eta_s);
}

TEST(Events, ResultKeepsItsObject) {
    const auto result = std::get<Result>(parse_line(to_line(Result{"mesh", R"({ "dof" : 12 })"})));

    EXPECT_EQ(result.verb, "mesh");
    EXPECT_EQ(result.json, R"({"dof":12})");
}

TEST(Events, ResultMustBeAnObject) {
    EXPECT_THROW((void)to_line(Result{"mesh", "[1]"}), Error);
    EXPECT_THROW((void)to_line(Result{"mesh", "{"}), Error);
}

TEST(Events, FailureKeepsCodeAndViolations) {
    const Failure sent{ErrorCode::InvalidArgument,
                       "two lines\n\"quoted\"",
                       {{"time.step_s", "must be >= 0, got -1"}, {"name", "must not be empty"}}};

    const std::string line = to_line(sent);
    const auto failure = std::get<Failure>(parse_line(line));

    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(failure.code, ErrorCode::InvalidArgument);
    EXPECT_EQ(failure.message, sent.message);
    ASSERT_EQ(failure.violations.size(), 2u);
    EXPECT_EQ(failure.violations[0].field, "time.step_s");
    EXPECT_EQ(failure.violations[1].message, "must not be empty");
}

TEST(Events, CheckpointSurvivesTheLine) {
    const auto checkpoint =
        std::get<Checkpoint>(parse_line(to_line(Checkpoint{7, "w/checkpoint.h5", {"a", "b"}})));

    EXPECT_EQ(checkpoint.step, 7);
    EXPECT_EQ(checkpoint.file, "w/checkpoint.h5");
    EXPECT_EQ(checkpoint.sources, (std::vector<std::string>{"a", "b"}));
}

TEST(Events, EveryCodeSurvives) {
    for (const ErrorCode code :
         {ErrorCode::InvalidArgument, ErrorCode::NotFound, ErrorCode::Conflict,
          ErrorCode::Unavailable, ErrorCode::NotConverged, ErrorCode::DeviceFault,
          ErrorCode::Internal}) {
        EXPECT_EQ(std::get<Failure>(parse_line(to_line(Failure{code, "m", {}}))).code, code);
    }
}

TEST(Events, ADeviceFaultSurvives) {
    const DeviceFault fault{"spmv", "cudaErrorECCUncorrectable", "GPU-a"};
    const DeviceError error(fault, describe(fault, "uncorrectable ECC error"));

    const std::string line = to_line(describe(error));
    const auto failure = std::get<Failure>(parse_line(line));

    EXPECT_EQ(failure.code, ErrorCode::DeviceFault);
    EXPECT_EQ(failure.message, error.what());
    ASSERT_TRUE(failure.device_fault);
    EXPECT_EQ(failure.device_fault->call, "spmv");
    EXPECT_EQ(failure.device_fault->error, "cudaErrorECCUncorrectable");
    EXPECT_EQ(failure.device_fault->gpu, "GPU-a");
    EXPECT_FALSE(std::get<Failure>(
                     parse_line(to_line(describe(Error(ErrorCode::DeviceFault, "rank 1: spmv")))))
                     .device_fault);
}

TEST(Events, BytesThatAreNotUtf8DoNotThrow) {
    const auto failure = std::get<Failure>(parse_line(to_line(Failure{ErrorCode::NotFound,
                                                                      "a\xff"
                                                                      "b",
                                                                      {}})));

    EXPECT_EQ(failure.message,
              "a\xEF\xBF\xBD"
              "b");
}

TEST(Events, AnythingElseIsLog) {
    for (const std::string line :
         {"", "plain text", "@kaname", "@kaname ", "@kaname {", "@kaname []", "@kaname {}",
          R"(@kaname {"type":"weather"})", R"(@kaname {"type":7})",
          R"(@kaname {"type":"progress","stage":"mesh"})",
          R"(@kaname {"type":"progress","stage":3,"fraction":0.5})",
          R"(@kaname {"type":"result","verb":"mesh","result":3})",
          R"(@kaname {"type":"error","code":"NotFound","message":"m","violations":[1]})",
          R"(@kaname {"type":"error","code":"DeviceFault","message":"m","device_fault":{}})",
          R"( @kaname {"type":"progress","stage":"mesh","fraction":0.5})"}) {
        ASSERT_TRUE(std::holds_alternative<Log>(parse_line(line))) << line;
        EXPECT_EQ(std::get<Log>(parse_line(line)).line, line);
    }
}

TEST(Events, BracketsWithoutEndTakeNoMemory) {
    const std::string deep = "@kaname " + std::string(2000000, '[');
    EXPECT_TRUE(std::holds_alternative<Log>(parse_line(deep)));
    const std::string text = "@kaname {\"type\": \"progress\", \"stage\": \"" +
                             std::string(200, '[') + "\\\"[\", \"fraction\": 0.5}";
    EXPECT_TRUE(std::holds_alternative<Progress>(parse_line(text)))
        << "those of a string count not";
}

TEST(Events, UnknownFieldsAreIgnored) {
    const Event event =
        parse_line(R"(@kaname {"type":"progress","stage":"mesh","fraction":0.5,"new":[1]})");

    EXPECT_TRUE(std::holds_alternative<Progress>(event));
}

TEST(Describe, TellsErrorKindsApart) {
    EXPECT_EQ(describe(ValidationError(std::vector<Violation>{{"a", "b"}})).violations.size(), 1u);
    EXPECT_EQ(describe(Error(ErrorCode::NotConverged, "m")).code, ErrorCode::NotConverged);
    EXPECT_EQ(describe(std::bad_alloc()).code, ErrorCode::Unavailable);
    EXPECT_EQ(describe(std::runtime_error("m")).code, ErrorCode::Internal);
}

}  // namespace
}  // namespace kaname::run::events_test
