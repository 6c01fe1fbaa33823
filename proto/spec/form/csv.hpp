// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Without the blanks and the carriage return at its ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// Cells of one line; a doubled quote inside quotes is one quote. nullopt: a quote is left open.
[[nodiscard]] std::optional<std::vector<std::string>> split_csv(std::string_view line);

/// Calls `visit` with each line that is neither blank nor a comment (#), counted from 1 in the
/// whole text, until it says false.
void for_each_csv_line(std::string_view text,
                       const std::function<bool(int line, std::string_view text)>& visit);

/// RowErrors collects the violations of the rows of one file. It keeps fifty: a wrong column would
/// repeat itself on every row.
class RowErrors {
public:
    explicit RowErrors(std::string path) : path_(std::move(path)) {}

    /// "offsets.csv:17"
    [[nodiscard]] std::string at(int line) const { return path_ + ":" + std::to_string(line); }
    void fail(int line, std::string message);
    [[nodiscard]] bool any() const { return count_ > 0; }
    /// The violations; the last one counts those that are not kept.
    [[nodiscard]] std::vector<Violation> take();

private:
    std::string path_;
    std::vector<Violation> broken_;
    std::size_t count_ = 0;
};

}  // namespace kaname::spec
