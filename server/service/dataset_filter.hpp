// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "proto/kaname/v1/datasets_service.pb.h"
#include "server/store/dataset_store.hpp"

namespace kaname::service {

/// Returns the filter that a call asks for. Throws ValidationError: for `filter` it names the place
/// in the text, for `place` and `near` their fields.
[[nodiscard]] store::DatasetFilter dataset_filter(const v1::ListDatasetsRequest& request);
/// Returns the Unix time of "2026-01-31" or "2026-01-31T12:00:00Z"; nothing for another text.
[[nodiscard]] std::optional<double> parse_utc(const std::string& text);
/// Why a tag cannot be one; empty: it can.
[[nodiscard]] std::string trouble_of_tag(const std::string& tag);

}  // namespace kaname::service
