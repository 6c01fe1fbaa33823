// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/text_file.hpp"

namespace kaname {

/// Comma-separated table with a header row; lines that start with # are comments. Columns may come
/// in any order. Borrows the file, which must outlive it.
class CsvTable {
public:
    /// `known`: names of all columns that may occur, empty: any. Refuses others, doubles, and a
    /// table without rows.
    CsvTable(const TextFile& file, std::initializer_list<std::string_view> known);

    struct Row {
        TextLine line;
        std::vector<std::string_view> cells;  ///< as many as the header has, or refused
    };
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
    [[nodiscard]] const TextLine& header() const { return header_; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Refuses the header when there is no such column.
    void require(std::string_view name) const;

    [[nodiscard]] std::string_view text(const Row& row, std::string_view name) const;
    [[nodiscard]] double number(const Row& row, std::string_view name) const;
    [[nodiscard]] std::optional<double> number_if(const Row& row, std::string_view name) const;
    /// NaN where the cell says nan.
    [[nodiscard]] double number_or_gap(const Row& row, std::string_view name) const;
    /// Column `name` + "_km", or `name` + "_m": in metres. Refuses a table with both or neither.
    [[nodiscard]] double metres(const Row& row, std::string_view name) const;

private:
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

    TextLine header_;
    std::vector<std::string> names_;
    std::vector<Row> rows_;
};

}  // namespace kaname
