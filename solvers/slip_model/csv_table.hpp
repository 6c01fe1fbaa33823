// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/slip_model/text_file.hpp"

namespace kaname::slip_model {

/// Comma-separated table with a header row; lines that start with # are comments. Columns may come
/// in any order, but each must be one that the reader asks for.
class CsvTable {
public:
    /// `known`: names of all columns that may occur; refuses others, doubles, and a missing header.
    CsvTable(const TextFile& file, std::initializer_list<std::string_view> known);

    struct Row {
        TextLine line;
        std::vector<std::string_view> cells;  ///< as many as the header has, or refused
    };
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
    /// Refuses the header when there is no such column.
    void require(std::string_view name) const;

    [[nodiscard]] std::string_view text(const Row& row, std::string_view name) const;
    [[nodiscard]] double number(const Row& row, std::string_view name) const;
    [[nodiscard]] std::optional<double> number_if(const Row& row, std::string_view name) const;
    /// Column `name` + "_km", or `name` + "_m": in metres. Refuses a table with both or neither.
    [[nodiscard]] double metres(const Row& row, std::string_view name) const;

private:
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

    TextLine header_;
    std::vector<std::string> names_;
    std::vector<Row> rows_;
};

}  // namespace kaname::slip_model
