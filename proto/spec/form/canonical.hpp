// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <google/protobuf/message.h>

namespace kaname::spec {

/// One text per meaning: JSON without spaces, keys are the field names in alphabetical order,
/// numbers rounded to 12 significant digits (16.1 km equals 16100 m), files
/// stand by their SHA-256 and never by their path. The text does not depend on the version of
/// libprotobuf. Throws InvalidArgument naming a file that has no sha256 yet (see resolve_files).
/// Defaults are the caller's to fill in.
[[nodiscard]] std::string canonical_text(const google::protobuf::Message& message);

}  // namespace kaname::spec
