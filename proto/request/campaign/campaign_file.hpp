// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "proto/kaname/v1/campaign.pb.h"
#include "proto/request/form/yaml_value.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {

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

/// A mapping whose keys are known, read one by one. What is wrong joins `broken`, with field path
/// and line; `broken` outlives it.
class YamlFields {
public:
    YamlFields(const YAML::Node& mapping, std::string field, std::vector<Violation>& broken)
        : mapping_(mapping), field_(std::move(field)), broken_(broken) {}

    /// Complains of other keys and of those that come twice.
    void expect_keys(const std::vector<std::string>& known) const;
    /// Undefined node where it is absent.
    [[nodiscard]] YAML::Node find(const std::string& key) const;
    [[nodiscard]] bool has(const std::string& key) const { return find(key).IsDefined(); }
    /// Empty where it is absent or no text.
    [[nodiscard]] std::string text(const std::string& key) const;
    [[nodiscard]] std::optional<double> number(const std::string& key) const;
    [[nodiscard]] std::optional<std::int64_t> whole(const std::string& key, std::int64_t low,
                                                    std::int64_t high) const;

    void fail(const std::string& key, const YAML::Node& at, const std::string& message) const;
    /// Records a violation at the line of the whole mapping.
    void fail(const std::string& key, const std::string& message) const;
    [[nodiscard]] std::string path_of(const std::string& key) const;
    [[nodiscard]] const std::string& field() const { return field_; }
    [[nodiscard]] int line() const { return mapping_.Mark().line + 1; }
    [[nodiscard]] std::vector<Violation>& broken() const { return broken_; }

private:
    YAML::Node mapping_;
    std::string field_;
    std::vector<Violation>& broken_;
};

/// One entry of `vary`. Files count from the folder of `source`, the campaign's file.
[[nodiscard]] Axis read_axis(const YamlFields& fields, const std::filesystem::path& source);

/// The unit of keys of this name, as netCDF spells it; empty: none.
[[nodiscard]] std::string unit_of_key(const std::string& key);

/// Text as part of a member's name: the stem where it is a file's path, and only letters, digits
/// and ".+-_".
[[nodiscard]] std::string word_of(const std::string& text);

}  // namespace kaname::request
