// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/rupture/friction_numbers.hpp"

namespace kaname::spec {

const std::vector<std::string>& friction_laws() {
    static const std::vector<std::string> laws = {kSlipWeakening, kAgeing, kSlipLaw,
                                                  kFastWeakening};
    return laws;
}

const std::vector<FrictionNumber>& friction_numbers() {
    static const std::vector<std::string_view> rate_and_state = {kAgeing, kSlipLaw, kFastWeakening};
    static const std::vector<FrictionNumber> numbers = {
        {"static", 0.0, false, true, {kSlipWeakening}},
        {"dynamic", 0.0, false, true, {kSlipWeakening}},
        {"slip_weakening_m", 0.0, true, true, {kSlipWeakening}},
        {"cohesion_pa", 0.0, false, false, {kSlipWeakening}},
        {"a", 0.0, true, true, rate_and_state},
        {"b", 0.0, false, true, rate_and_state},
        {"state_slip_m", 0.0, true, true, rate_and_state},
        {"reference_friction", 0.0, true, false, rate_and_state},
        {"reference_rate_m_per_s", 0.0, true, false, rate_and_state},
        {"initial_rate_m_per_s", 0.0, true, true, rate_and_state},
        {"weakened_friction", 0.0, false, true, {kFastWeakening}},
        {"weakening_rate_m_per_s", 0.0, true, true, {kFastWeakening}},
    };
    return numbers;
}

GivenNumber number_of(const google::protobuf::Message& message, std::string_view field) {
    const auto* number = message.GetDescriptor()->FindFieldByName(std::string(field));
    const auto* reflection = message.GetReflection();
    return {reflection->HasField(message, number), reflection->GetDouble(message, number)};
}

}  // namespace kaname::spec
