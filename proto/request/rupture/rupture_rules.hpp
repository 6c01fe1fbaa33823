// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/rupture.pb.h"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

/// Every rule that needs no mesh, of a request whose defaults are filled.
[[nodiscard]] std::vector<Violation> validate(const v1::Rupture& rupture,
                                              const UnitFactor& unit_factor = {});

/// The parts of it: where faults are and what they are under; what begins the rupture, and where
/// faults are recorded.
void check_faults(const v1::Rupture& rupture, Rules& rules);
void check_fault_place(const v1::Rupture& rupture, int fault, Rules& rules);
void check_nucleation(const v1::Rupture& rupture, Rules& rules);

/// Rows by depth: where there are several each has its depth, and depths never decrease.
template <class Rows>
void check_depths(const Rows& rows, const std::string& list, Rules& rules) {
    for (int k = 0; k < rows.size(); ++k) {
        const std::string field = element(list, k) + ".depth_m";
        if (rows.size() > 1 && rules.given(field, rows[k].has_depth_m()) && k > 0 &&
            rows[k].depth_m() < rows[k - 1].depth_m()) {
            rules.fail(field, "must be >= the depth before it, " +
                                  rules.in_unit_of(field, rows[k - 1].depth_m()) + ", got " +
                                  rules.in_unit_of(field, rows[k].depth_m()));
        }
    }
}

}  // namespace kaname::request
