// SPDX-License-Identifier: BSD-3-Clause
#include "client/answer/recorded_history.hpp"

#include <nlohmann/json.hpp>

#include "solvers/base/error.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::answer {

jobs::SlipHistory recorded_history(const std::string& specification_json) {
    using nlohmann::json;
    try {
        const json specification = json::parse(specification_json);
        const json history = specification.value("slip_history", json::object());
        const std::string kind = history.value("kind", "");
        const auto known =
            jobs::choice_of<jobs::HistoryKind>(kind.empty() ? std::string("step") : kind);
        if (!known) {
            throw Error(ErrorCode::DataLoss,
                        "slip_history.kind: must be a known kind, got '" + kind + "'");
        }
        return {*known, history.value("duration_s", 0.0), history.value("time_constant_s", 0.0),
                history.value("times_s", std::vector<double>()),
                history.value("slip", std::vector<double>())};
    } catch (const json::exception& error) {
        throw Error(ErrorCode::DataLoss,
                    std::string("the dataset's specification is damaged: ") + error.what());
    }
}

}  // namespace kaname::answer
