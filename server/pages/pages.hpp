// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/http/pages.hpp"
#include "server/service/datasets/descriptions.hpp"

/// The tables of pages that the server has over HTTP.
namespace kaname::pages {

/// GET /metrics, for Prometheus; 503 when `metrics` throws.
[[nodiscard]] http::Page metrics_page(std::function<std::string()> metrics);

/// GET /healthz, 200 as long as the program answers, and GET /readyz, 200 while it takes work and
/// its database answers, else 503: for probes, without a token.
[[nodiscard]] std::vector<http::Page> health_pages(std::function<bool()> serves);

/// GET of /v1/datasets/<job uuid>/: file?partial=&verify=, and where there are descriptions
/// map?partial=, report?partial= and solves?partial=&source=ID,ID; /v1/artifacts/<sha256>?verify=.
[[nodiscard]] http::Page dataset_page(service::Downloads& downloads,
                                      service::Descriptions* descriptions = nullptr);
[[nodiscard]] http::Page artifact_page(service::Downloads& downloads);

/// GET /v1/jobs/<job uuid>/mesh.
[[nodiscard]] http::Page mesh_page(service::Descriptions& descriptions);

/// All of them; what they use outlives them.
[[nodiscard]] std::vector<http::Page> all_pages(std::function<std::string()> metrics,
                                                service::Downloads& downloads,
                                                service::Descriptions* descriptions = nullptr);

}  // namespace kaname::pages
