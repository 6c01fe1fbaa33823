// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/kaname/v1/seismic_waves.pb.h"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

/// A source of the dataset and the field of the request that it comes from.
struct ListedSource {
    v1::SeismicSource source;
    std::string field;
};
/// The sources of a request whose defaults are filled: those that it lists, or the unit
/// sources of `green`, points before the grid before patches, then by component.
[[nodiscard]] std::vector<ListedSource> listed_sources(const v1::SeismicWaves& waves);
/// Their number, without making them.
[[nodiscard]] std::int64_t count_sources(const v1::SeismicWaves& waves);

/// Returns true if forces at receivers are solved for in place of the sources. That is so with
/// method reciprocal. With method auto it is so if that takes fewer solves and no output is wanted
/// that only sources give (ground motion).
[[nodiscard]] bool is_reciprocal(const v1::SeismicWaves& waves);
/// Their ids, receiver/x, receiver/y, receiver/z of each receiver.
[[nodiscard]] std::vector<std::string> force_ids(const v1::SeismicWaves& waves);

void fill_green(v1::SeismicWaves& waves);
/// Rules of `green`.
void check_green(const v1::SeismicWaves& waves, Rules& rules);
/// Rules of a patch of a plane.
void check_patch_plane(const v1::Plane& plane, const std::string& path, Rules& rules);

}  // namespace kaname::request
