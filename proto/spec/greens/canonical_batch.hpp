// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/form/canonical.hpp"

namespace kaname::spec {

/// Returns the canonical text of a batch with its defaults filled in.
[[nodiscard]] std::string canonical_json(const v1::GreensBatch& batch);
/// Returns the text from which keys are made: the canonical JSON, where a mesh in layers has two
/// numbers more. All such specifications were once filled in with them; so the results of that time
/// are still found.
[[nodiscard]] std::string key_text(const v1::GreensBatch& batch);
/// Returns the SHA-256 in hex of the key text without `name` and `description`: a new label is no
/// new computation.
[[nodiscard]] std::string content_hash(const v1::GreensBatch& batch);

}  // namespace kaname::spec
