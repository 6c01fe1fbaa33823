// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/slip_history.hpp"

#include "proto/report/report.hpp"
#include "proto/spec/greens/checks.hpp"
#include "worker/compute/choice_from_spec.hpp"

namespace kaname::compute {

jobs::SlipHistory history_of(const v1::SlipHistory& history, const std::string& field) {
    return {choice_from<jobs::HistoryKind>(history.kind(), field + ".kind"),
            history.duration_s(),
            history.time_constant_s(),
            {history.times_s().begin(), history.times_s().end()},
            {history.slip().begin(), history.slip().end()}};
}

jobs::SlipHistory answered_history(const std::string& specification_json, const std::string& wanted,
                                   double end_s) {
    v1::SlipHistory history;
    if (wanted.empty()) {
        history =
            report::parse<v1::GreensBatch>(specification_json, "specification").slip_history();
    } else {
        report::parse_into(wanted, "slip_history", history);
        spec::Rules rules;
        spec::every_number_finite(history, "slip_history", rules);
        spec::check_history(history, "slip_history", end_s, spec::kSlipHistories, rules);
        if (std::vector<Violation> broken = rules.take(); !broken.empty()) {
            throw ValidationError(std::move(broken));
        }
    }
    if (history.kind().empty()) {
        history.set_kind("step");
    }
    return history_of(history, "slip_history");
}

}  // namespace kaname::compute
