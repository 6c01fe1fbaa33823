// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::test {

/// Fields that the ValidationError of `call` names; empty where it throws none.
template <class Call>
std::vector<std::string> violated(const Call& call) {
    std::vector<std::string> fields;
    try {
        call();
    } catch (const ValidationError& error) {
        for (const Violation& v : error.violations()) {
            fields.push_back(v.field);
        }
    }
    return fields;
}

}  // namespace kaname::test
