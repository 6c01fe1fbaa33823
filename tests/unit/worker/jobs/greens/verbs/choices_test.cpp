// SPDX-License-Identifier: BSD-3-Clause
// The words that a request may use are those that the solvers have a meaning for.
#include <gtest/gtest.h>

#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"
#include "worker/jobs/frame/from_request.hpp"

namespace kaname::compute::choices_test {
namespace {

/// Returns the message of `validate` on a word that the field does not have.
template <class Set>
std::string refusal(const std::string& field, const Set& set) {
    v1::GreensBatch batch = request::read_yaml(request::examples::kPlaneYaml);
    request::fill_defaults(batch);
    set(batch, "none of them");
    for (const Violation& violation : request::validate(batch)) {
        if (violation.field == field) {
            return violation.message;
        }
    }
    return "";
}

/// Returns the message of a job on such a word.
template <class Choice>
std::string refusal(const std::string& field) {
    try {
        (void)choice_from<Choice>("none of them", field);
    } catch (const ValidationError& error) {
        return error.violations().at(0).message;
    }
    return "";
}

TEST(Choices, HaveTheWordsThatASpecificationMayUse) {
    const auto method = [](v1::GreensBatch& b, const char* word) {
        b.mutable_solver()->set_method(word);
    };
    EXPECT_EQ(refusal("solver.method", method), refusal<jobs::SolverMethod>("solver.method"));
    const auto element = [](v1::GreensBatch& b, const char* word) {
        b.mutable_solver()->set_element(word);
    };
    EXPECT_EQ(refusal("solver.element", element), refusal<jobs::ElementChoice>("solver.element"));
    const auto predictor = [](v1::GreensBatch& b, const char* word) {
        b.mutable_solver()->set_predictor(word);
    };
    EXPECT_EQ(refusal("solver.predictor", predictor),
              refusal<jobs::PredictorKind>("solver.predictor"));
    const auto time = [](v1::GreensBatch& b, const char* word) {
        b.mutable_time()->set_method(word);
    };
    EXPECT_EQ(refusal("time.method", time), refusal<jobs::TimeMethod>("time.method"));
    const auto checkpoint = [](v1::GreensBatch& b, const char* word) {
        b.mutable_output()->set_checkpoint(word);
    };
    EXPECT_EQ(refusal("output.checkpoint", checkpoint),
              refusal<jobs::CheckpointMode>("output.checkpoint"));
}

TEST(Choices, HaveTheKindsOfHistoryThatEventsMayHave) {
    const auto history = [](v1::GreensBatch& b, const char* word) {
        b.set_schema("kaname.v1.Scenario");
        b.add_events()->mutable_history()->set_kind(word);
    };
    EXPECT_EQ(refusal("events[0].history.kind", history),
              refusal<jobs::HistoryKind>("events[0].history.kind"));
}

TEST(Choices, AndTheirWordsLeadToEachOther) {
    for (const auto& word : jobs::kWords<jobs::DeviceChoice>) {
        EXPECT_EQ(jobs::choice_of<jobs::DeviceChoice>(word.text), word.choice);
        EXPECT_EQ(jobs::text_of(word.choice), word.text);
    }
    EXPECT_EQ(jobs::choice_of<jobs::DeviceChoice>("gpu"), std::nullopt);
    EXPECT_EQ(refusal<jobs::DeviceChoice>("device"),
              "must be auto, cpu or cuda, got 'none of them'");
}

}  // namespace
}  // namespace kaname::compute::choices_test
