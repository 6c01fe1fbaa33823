// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/helpers/compute.hpp"

namespace kaname::helpers {

/// What the server asks of kaname-compute about one file: the report, as JSON, of a verb that
/// describes it. As Compute otherwise.
class Describer {
public:
    virtual ~Describer() = default;

    /// `arguments`: the verb first.
    virtual std::string describe(const std::vector<std::string>& arguments,
                                 const Caller& caller) = 0;
};

}  // namespace kaname::helpers
