// SPDX-License-Identifier: BSD-3-Clause
// Greens.Answer: axes, then the values of each rheology in pieces.
#include <cmath>
#include <map>

#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::answer_calls_test {
namespace {

class AnswerCalls : public ApiTest {
protected:
    struct Told {
        v1::AnswerAxes axes;
        std::map<std::int64_t, std::vector<double>> values;  ///< by rheology
        std::map<std::int64_t, double> error;
        std::size_t largest_message = 0;
        grpc::Status status;
    };

    /// A job with both of its sources done.
    std::string finished() {
        register_worker();
        const v1::Job job = submit();
        EXPECT_TRUE(complete(claim().tasks(0), "mesh file").ok());
        const v1::ClaimResponse pack = claim();
        EXPECT_TRUE(complete(pack.tasks(0), "one").ok());
        EXPECT_TRUE(complete(pack.tasks(1), "other").ok());
        return "datasets/" + id_of(job);
    }

    Told answer(const v1::AnswerRequest& request) {
        Call context(viewer_);
        Told told;
        const auto reader = greens_->Answer(&context, request);
        v1::AnswerResult message;
        while (reader->Read(&message)) {
            told.largest_message = std::max(told.largest_message, message.ByteSizeLong());
            if (message.has_axes()) {
                told.axes.MergeFrom(message.axes());
                continue;
            }
            std::vector<double>& of = told.values[message.rheology()];
            EXPECT_EQ(message.first(), std::ssize(of));
            of.insert(of.end(), message.values().begin(), message.values().end());
            EXPECT_FALSE(told.error.contains(message.rheology())) << "values behind the error";
            if (message.has_error()) {
                told.error[message.rheology()] = message.error();
            }
        }
        told.status = reader->Finish();
        return told;
    }

    static void add(v1::AnswerRequest& request, double mantle_pa_s) {
        (*request.add_rheologies()->mutable_values())["mantle"] = mantle_pa_s;
    }
};

TEST_F(AnswerCalls, EachRheologyHasItsValuesAndItsError) {
    v1::AnswerRequest request;
    request.set_dataset(finished());
    for (const double mantle : {3.0, 1.0, 2.0}) {
        add(request, mantle);
    }
    Told told = answer(request);

    ASSERT_TRUE(told.status.ok()) << told.status.error_message();
    EXPECT_EQ(told.axes.source_ids_size(), 2);
    EXPECT_EQ(told.axes.n_stations(), 1);
    ASSERT_EQ(told.values.size(), 3U);
    EXPECT_EQ(told.values[0], std::vector<double>(6, 3.0));
    EXPECT_EQ(told.values[1], std::vector<double>(6, 1.0));
    EXPECT_EQ(told.values[2], std::vector<double>(6, 2.0));
    EXPECT_EQ(told.error.size(), 3U);
    EXPECT_EQ(compute_.n_answers, 1);  // all at once

    request.clear_rheologies();
    request.add_epochs_s(1.0);
    request.add_epochs_s(2.0);
    v1::SourceSlip& slip = *request.add_slip();
    slip.set_source("s00d00/rake_90");
    slip.set_slip_m(2.0);
    told = answer(request);
    EXPECT_EQ(told.axes.epochs_s_size(), 2);
    EXPECT_EQ(told.values[0].size(), 6U);  // the sum, of the reference alone
}

TEST_F(AnswerCalls, ManyStationsComeSourceBySourceInSmallMessages) {
    constexpr int kStations = 100000;
    const std::string dataset = finished();
    compute_.stations.clear();
    for (int k = 0; k < kStations; ++k) {
        compute_.stations.push_back("station-of-a-dense-array-" + std::to_string(k));
    }
    v1::AnswerRequest request;
    request.set_dataset(dataset);
    add(request, 1.0);
    add(request, 2.0);

    Told told = answer(request);

    ASSERT_TRUE(told.status.ok()) << told.status.error_message();
    EXPECT_EQ(told.axes.station_ids_size(), kStations);
    EXPECT_EQ(told.values[0].size(), 6U * kStations);
    EXPECT_EQ(told.values[1], std::vector<double>(6U * kStations, 2.0));
    EXPECT_EQ(told.error[1], 2e-3);  // the worst, which the last source has here
    EXPECT_EQ(compute_.n_answers, 4);
    EXPECT_LT(told.largest_message, 2U << 20U);
}

TEST_F(AnswerCalls, WhatIsRefusedIsRefusedBeforeAnythingIsSaid) {
    v1::AnswerRequest request;
    request.set_dataset(finished());
    add(request, -1.0);
    Told told = answer(request);
    EXPECT_EQ(told.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_TRUE(told.axes.source_ids().empty());

    request.clear_rheologies();
    add(request, std::nan(""));
    told = answer(request);
    EXPECT_EQ(told.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(told.status.error_message().find("rheologies[0].values"), std::string::npos)
        << told.status.error_message();

    request.clear_rheologies();
    for (int k = 0; k < 10001; ++k) {
        add(request, 1.0);
    }
    told = answer(request);
    EXPECT_EQ(told.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(told.status.error_message().find("at most 10000, got 10001"), std::string::npos)
        << told.status.error_message();

    request.set_dataset("datasets/" + store::make_uuid());
    request.clear_rheologies();
    EXPECT_EQ(answer(request).status.error_code(), grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace kaname::service::answer_calls_test
