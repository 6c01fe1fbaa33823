// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/http/pages.hpp"
#include "server/service/downloads.hpp"

/// The tables of pages that the server has over HTTP.
namespace kaname::pages {

/// GET /metrics, for Prometheus; 503 when `metrics` throws.
[[nodiscard]] http::Page metrics_page(std::function<std::string()> metrics);

/// GET /v1/datasets/<job uuid>/file?partial=&verify= and /v1/artifacts/<sha256>?verify=.
[[nodiscard]] http::Page dataset_page(service::Downloads& downloads);
[[nodiscard]] http::Page artifact_page(service::Downloads& downloads);

/// All of them; what they use outlives them.
[[nodiscard]] std::vector<http::Page> all_pages(std::function<std::string()> metrics,
                                                service::Downloads& downloads);

}  // namespace kaname::pages
