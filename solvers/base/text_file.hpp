// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaname {

/// A line of a text file that knows where it stands, for messages.
struct TextLine {
    std::string_view file;  ///< the file's name as the user gave it
    int number = 0;         ///< line number from 1; 0: the file as a whole
    std::string_view text;  ///< the line without blanks at its ends

    /// Throws InvalidArgument "file:number: what".
    [[noreturn]] void refuse(const std::string& what) const;
    /// Throws InvalidArgument "file:number: field: 'value', rule".
    [[noreturn]] void refuse(std::string_view field, std::string_view value,
                             std::string_view rule) const;
    /// A finite number, or refused.
    [[nodiscard]] double number_of(std::string_view field, std::string_view cell) const;
    /// A finite number in [low, high], or refused with `rule`.
    [[nodiscard]] double number_in(std::string_view field, std::string_view cell, double low,
                                   double high, std::string_view rule) const;
    /// A whole number in [low, high], or refused.
    [[nodiscard]] int count_in(std::string_view field, std::string_view cell, int low,
                               int high) const;
};

/// Cells between blanks.
[[nodiscard]] std::vector<std::string_view> cells_of(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);

/// A whole text file and its lines that are not blank. Not movable: the lines point into it.
class TextFile {
public:
    /// Throws NotFound, or InvalidArgument when it is no file, or over 64 MiB.
    explicit TextFile(const std::filesystem::path& path);
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    [[nodiscard]] const std::vector<TextLine>& lines() const { return lines_; }
    /// Names the file as a whole in messages about it.
    [[nodiscard]] TextLine whole() const { return {name_, 0, {}}; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    std::string name_;
    std::string text_;
    std::vector<TextLine> lines_;
};

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
