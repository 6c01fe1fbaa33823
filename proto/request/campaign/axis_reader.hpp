// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/request/campaign/campaign_file.hpp"

namespace kaname::request {

/// One entry of `vary`. Files count from the folder of `source`, the campaign's file.
[[nodiscard]] Axis read_axis(const YamlFields& fields, const std::filesystem::path& source);

/// The unit of keys of this name, as netCDF spells it; empty: none.
[[nodiscard]] std::string unit_of_key(const std::string& key);

/// Text as part of a member's name: the stem where it is a file's path, and only letters, digits
/// and ".+-_".
[[nodiscard]] std::string word_of(const std::string& text);

}  // namespace kaname::request
