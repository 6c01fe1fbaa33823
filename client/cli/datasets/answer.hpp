// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "client/cli/common/service.hpp"
#include "client/lib/client.hpp"
#include "proto/kaname/v1/answer.pb.h"

namespace kaname::cli {

struct AnswerOptions {
    ServiceOptions service;
    std::string dataset, table, slip, history, output;
    std::vector<std::string> viscosities, rheology;  ///< NAME=VALUE
    std::vector<double> epochs_years;
    bool force = false;
};

/// Returns the slip history that --slip-history gives: KIND, KIND=YEARS (ramp: its duration;
/// exponential and logarithmic: their time constant) or a csv of time_years and slip. Throws
/// InvalidArgument.
[[nodiscard]] v1::SlipHistory slip_history_of(const std::string& text);

/// Returns the request to a server for the dataset that has the name `dataset` there. Throws
/// InvalidArgument naming option, value and rule.
[[nodiscard]] v1::AnswerRequest answer_request(const AnswerOptions& options,
                                               const std::string& dataset);

/// Writes what a server answers as a table, as it comes: the numbers of each rheology, source (not
/// where slip is given), epoch in years, station, east, north, up (empty where a source is missing)
/// and the certified error. Returns the number of rows.
std::int64_t write_served_answer(client::Client& client, const v1::AnswerRequest& request,
                                 std::ostream& out);

}  // namespace kaname::cli
