// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/helpers/compute.hpp"

namespace kaname::helpers {

/// Asks kaname-compute about one file: returns the report, as JSON, of a verb that describes it.
/// Threads and errors are as in Compute.
class Describer {
public:
    virtual ~Describer() = default;

    /// `arguments`: the verb first.
    virtual std::string describe(const std::vector<std::string>& arguments,
                                 const Caller& caller) = 0;
};

}  // namespace kaname::helpers
