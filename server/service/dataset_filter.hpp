// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "proto/kaname/v1/datasets_service.pb.h"
#include "server/store/dataset_store.hpp"

namespace kaname::service {

/// What a call wants to see. Throws ValidationError: of `filter` naming the place in its text, of
/// `place` and `near` naming their fields.
[[nodiscard]] store::DatasetFilter dataset_filter(const v1::ListDatasetsRequest& request);
/// Nothing: the text is neither "2026-01-31" nor "2026-01-31T12:00:00Z". Unix time.
[[nodiscard]] std::optional<double> parse_utc(const std::string& text);
/// Why a tag cannot be one; empty: it can.
[[nodiscard]] std::string trouble_of_tag(const std::string& tag);

}  // namespace kaname::service
