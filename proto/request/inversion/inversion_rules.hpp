// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "proto/kaname/v1/inversion.pb.h"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

inline constexpr const char* kCrossValidation = "cross_validation";
inline constexpr const char* kAbic = "abic";
inline constexpr const char* kAbicFree = "abic_free";
inline constexpr const char* kLCurve = "l_curve";
inline constexpr const char* kFixedWeights = "fixed";
inline constexpr const char* kStep = "step";
inline constexpr const char* kRamp = "ramp";
inline constexpr const char* kSteady = "steady";
inline constexpr const char* kCoupling = "coupling";
inline constexpr const char* kHistory = "history";

/// InversionFacts holds the properties of the tables of all sets that rules and defaults need.
struct InversionFacts {
    bool known = true;  ///< every table could be read
    std::size_t stations = 0;
    bool velocities = false, displacements = false;
};

/// Slip whose rate varies, from series.
[[nodiscard]] bool has_history(const v1::SlipUnknowns& slip);
/// Steps and start of it where they are not given.
void fill_history(v1::SlipUnknowns& slip);

/// Kinds and names of sets, which their tables are read by.
void fill_set_defaults(v1::Inversion& inversion);

/// Replaces every zero or empty value that inversion.proto gives a default to, so that the message
/// says all that is computed. Left alone: slip.components (all that the dataset has) and max_m
/// (no bound). Returns, in words, what was chosen by the data; empty: nothing. Applying it twice
/// changes nothing more.
std::string fill_defaults(v1::Inversion& inversion, const InversionFacts& facts);

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
void check_posterior(const v1::Inversion& inversion, Rules& rules);
void check_model_errors(const v1::Inversion& inversion, Rules& rules);
void check_history(const v1::Inversion& inversion, Rules& rules);

}  // namespace kaname::request
