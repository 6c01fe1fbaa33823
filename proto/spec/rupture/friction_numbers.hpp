// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/kaname/v1/rupture.pb.h"

namespace kaname::spec {

inline constexpr const char* kSlipWeakening = "linear_slip_weakening";
inline constexpr const char* kAgeing = "ageing";
inline constexpr const char* kSlipLaw = "slip";
inline constexpr const char* kFastWeakening = "fast_velocity_weakening";
inline constexpr const char* kLeftLateral = "left_lateral";
inline constexpr const char* kRightLateral = "right_lateral";
inline constexpr const char* kRectangle = "rectangle";
inline constexpr const char* kEllipse = "ellipse";

/// A number of v1::Friction.
struct FrictionNumber {
    std::string_view field;              ///< with its unit, as the message has it
    double least = 0.0;                  ///< smallest value that it may have
    bool open = false;                   ///< and which it may not have itself
    bool needed = false;                 ///< has no default
    std::vector<std::string_view> laws;  ///< that read it
};
[[nodiscard]] const std::vector<FrictionNumber>& friction_numbers();
[[nodiscard]] const std::vector<std::string>& friction_laws();

/// By the name of a number of the message; `given` is false where it is absent.
struct GivenNumber {
    bool given = false;
    double value = 0.0;
};
[[nodiscard]] GivenNumber number_of(const google::protobuf::Message& message,
                                    std::string_view field);

}  // namespace kaname::spec
