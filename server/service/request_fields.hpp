// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::service {

/// Throws the ValidationError of one field.
[[noreturn]] void refuse(const std::string& field, const std::string& message);

/// The uuid of "jobs/<uuid>", "datasets/<uuid>" or a uuid alone. Throws InvalidArgument naming
/// `field`.
[[nodiscard]] std::string id_of(const std::string& name, const std::string& collection,
                                const std::string& field);

}  // namespace kaname::service
