// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "solvers/base/error.hpp"

namespace kaname::spec {

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

}  // namespace kaname::spec
