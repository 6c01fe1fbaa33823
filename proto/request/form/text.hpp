// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::request {

/// Bytes of a text file that must be UTF-8; a byte-order mark is removed. Throws NotFound when it
/// cannot be read, InvalidArgument when it is empty, longer than 64 MiB or not text; the message
/// names the file.
[[nodiscard]] std::string read_text_file(const std::string& path);
/// Throws InvalidArgument naming `source` when `text` is blank or not UTF-8 text.
void check_text(std::string_view text, const std::string& source);

/// The whole of `text` as a decimal number; nullopt otherwise. Infinite when out of range.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// Fewest digits that read back as the same number; without exponent from 0.001 to 1e7.
[[nodiscard]] std::string show(double value);
/// As show(), of at most twelve digits: a number that was computed, for people.
[[nodiscard]] std::string show_rounded(double value);
/// Returns how a text that was typed for a number is to be written: "; decimals are written with a
/// point". `name` is the key or the column, whose unit matters. Empty where nothing is known of it.
[[nodiscard]] std::string number_hint(std::string_view text, std::string_view name);
/// Quoted for a message, cut after 60 bytes.
[[nodiscard]] std::string quote(std::string_view text);
/// "a, b or c".
[[nodiscard]] std::string join_or(std::span<const std::string> words);
/// The candidate that has the meaning of `word` in other programs, else the one with the smallest
/// edit distance to it, if that is at most a third of its length (at least 2); empty otherwise.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// Returns how the request names the components of a moment tensor, for a key such as rr_n_m
/// or mtp. The axes of such a key are those of a CMT solution: r up, t south, p east. Empty for any
/// other key.
[[nodiscard]] std::string cmt_axes(std::string_view key);

/// Returns how a material gives what a key such as poisson or log10_viscosity means. Empty for any
/// other key.
[[nodiscard]] std::string material_hint(std::string_view key);

/// Without the blanks and the carriage return at its ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// Returns the column of a table that has the ids of stations, under any of the names that people
/// use for it; nullopt where there is none.
[[nodiscard]] std::optional<std::size_t> station_column(std::span<const std::string> names);
/// Returns the names under which a column may stand: lon_deg, lon and longitude, and so for
/// lat_deg; that name alone for any other.
[[nodiscard]] std::vector<std::string> column_names(const std::string& column);
/// Returns what parts the cells of a line that has one cell, where it is no comma: "';'", "a tab"
/// or "blanks"; empty where nothing does.
[[nodiscard]] std::string other_separator(std::string_view line);

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

}  // namespace kaname::request
