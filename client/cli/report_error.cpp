// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/report_error.hpp"

#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/grouped.hpp"
#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {

int report_error(const std::exception& error, bool json) {
    const run::Failure failure = run::describe(error);
    nlohmann::json violations = nlohmann::json::array();
    for (const Violation& violation : grouped(failure.violations)) {
        std::cerr << "error: " << violation.field << ": " << violation.message << "\n";
    }
    for (const Violation& violation : failure.violations) {
        violations.push_back({{"field", violation.field}, {"message", violation.message}});
    }
    if (failure.violations.empty()) {
        std::cerr << "error: " << failure.message << "\n";
    }
    if (json) {
        const nlohmann::json report = {{"error",
                                        {{"code", to_string(failure.code)},
                                         {"message", failure.message},
                                         {"violations", violations}}}};
        std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    }
    return run::exit_code(failure.code);
}

}  // namespace kaname::cli
