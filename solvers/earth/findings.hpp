// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::earth {

/// Collects the findings of building a model: all violations, and notes worth knowing.
struct Findings {
    std::vector<Violation> violations;
    std::vector<std::string> notes;

    void fail(const std::string& field, const std::string& message) {
        violations.push_back({field, message});
    }
    /// Throws ValidationError when anything failed.
    void throw_if_any() const {
        if (!violations.empty()) {
            throw ValidationError(violations);
        }
    }
    /// Runs `step` and takes its complaint about the user's input as a violation of `field`; what
    /// is no fault of the input goes on.
    template <typename Step>
    bool collect(const std::string& field, const std::string& subject, const Step& step) {
        try {
            step();
            return true;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::InvalidArgument && error.code() != ErrorCode::NotFound) {
                throw;
            }
            fail(field, subject + ": " + error.what());
            return false;
        }
    }
};

}  // namespace kaname::earth
