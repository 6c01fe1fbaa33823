// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "proto/kaname/v1/campaign.pb.h"
#include "proto/spec/form/yaml_value.hpp"

namespace kaname::spec {

inline constexpr const char* kCampaignSchema = "kaname.v1.Campaign";

/// AxisValue holds the settings that one value of an axis makes.
struct AxisValue {
    std::string word;                                         ///< in names of members: "1e19"
    std::vector<std::pair<std::string, YamlValue>> settings;  ///< key, value
    std::filesystem::path folder;  ///< that relative files of it count from
};

struct Axis {
    std::string field;  ///< "vary[0]"
    std::string name, unit, along;
    std::vector<std::string> keys;  ///< all that any value sets, in the order of the file
    std::vector<AxisValue> values;
    int line = 0;
};

/// A campaign as users write it, before anything is put together.
struct CampaignFile {
    std::string name;
    int priority = 0;
    v1::CampaignLimits limits;
    YAML::Node base;                    ///< a mapping
    std::string base_file;              ///< as people call it
    std::filesystem::path base_folder;  ///< that relative files of it count from
    std::vector<Axis> axes;
};

/// Throws ValidationError with everything that is wrong with it, its tables and its base's being
/// YAML, by field path and line; Error when it is no YAML mapping at all.
[[nodiscard]] CampaignFile read_campaign(const std::string& path);

}  // namespace kaname::spec
