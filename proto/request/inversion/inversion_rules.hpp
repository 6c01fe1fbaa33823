// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/inversion.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/inversion/inversion_defaults.hpp"

namespace kaname::request {

/// Every rule of an inversion with its defaults filled in that needs no dataset; all that are
/// broken, at once, in the order of the message, with values in the units that they were written
/// in.
[[nodiscard]] std::vector<Violation> validate(const v1::Inversion& inversion,
                                              const InversionFacts& facts,
                                              const UnitFactor& unit_factor = {});

/// Its parts, in the order of the message.
void check_sets(const v1::Inversion& inversion, Rules& rules);
void check_slip(const v1::SlipUnknowns& slip, const InversionFacts& facts, Rules& rules);
void check_regularisation(const v1::Inversion& inversion, const InversionFacts& facts,
                          Rules& rules);
void check_synthetic(const v1::Inversion& inversion, Rules& rules);

}  // namespace kaname::request
