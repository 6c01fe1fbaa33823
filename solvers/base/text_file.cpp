// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;

/// Returns the text of a cell for a message: short, and on one line.
std::string cell_shown(std::string_view value) {
    constexpr std::size_t kMost = 40;
    return value.size() > kMost ? shown_on_a_line(to_utf8(value, kMost)) + "..."
                                : shown_on_a_line(value);
}

}  // namespace

void TextLine::refuse(const std::string& what) const {
    const std::string place = number > 0 ? ":" + std::to_string(number) : "";
    throw Error(ErrorCode::InvalidArgument, std::string(file) + place + ": " + what);
}

void TextLine::refuse(std::string_view field, std::string_view value, std::string_view rule) const {
    refuse(std::string(field) + ": '" + cell_shown(value) + "', " + std::string(rule));
}

double TextLine::number_of(std::string_view field, std::string_view cell) const {
    std::string_view digits = cell;
    if (digits.starts_with('+')) {
        digits.remove_prefix(1);
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) {
        refuse(field, cell, "must be a finite number");
    }
    return value;
}

double TextLine::number_in(std::string_view field, std::string_view cell, double low, double high,
                           std::string_view rule) const {
    const double value = number_of(field, cell);
    if (value < low || value > high) {
        refuse(field, cell, rule);
    }
    return value;
}

int TextLine::count_in(std::string_view field, std::string_view cell, int low, int high) const {
    int value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || value < low || value > high) {
        refuse(
            field, cell,
            "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == text.npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view text) {
    std::vector<std::string_view> cells;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r", at)) != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
        cells.push_back(text.substr(at, end - at));
        at = end;
    }
    return cells;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

TextFile::TextFile(const std::filesystem::path& path) : path_(path), name_(path.string()) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw Error(ErrorCode::NotFound, name_ + ": there is no such file");
    }
    if (!std::filesystem::is_regular_file(path, error)) {
        whole().refuse("must be a file");
    }
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error || bytes > kMostBytes) {
        whole().refuse("size: '" + std::to_string(bytes) + "' bytes, must be at most 64 MiB");
    }
    std::ifstream in(path, std::ios::binary);
    text_.resize(static_cast<std::size_t>(bytes));
    in.read(text_.data(), static_cast<std::streamsize>(bytes));
    if (in.gcount() != static_cast<std::streamsize>(bytes)) {
        throw Error(ErrorCode::Unavailable, name_ + ": cannot be read");
    }
    const std::string_view text = text_;
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(text.substr(at, end - at));
        ++number;
        if (!line.empty()) {
            lines_.push_back({name_, number, line});
        }
        at = end + 1;
    }
    if (lines_.empty()) {
        whole().refuse("is empty");
    }
}

namespace {

std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t comma = text.find(',');
        cells.push_back(trimmed(text.substr(0, comma)));
        if (comma == text.npos) {
            return cells;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

CsvTable::CsvTable(const TextFile& file, std::initializer_list<std::string_view> known) {
    for (const TextLine& line : file.lines()) {
        if (line.text.starts_with('#')) {
            continue;
        }
        std::vector<std::string_view> cells = split_at_commas(line.text);
        if (!names_.empty()) {
            if (cells.size() != names_.size()) {
                line.refuse("columns: " + std::to_string(cells.size()) + ", must be " +
                            std::to_string(names_.size()) + " as in the header");
            }
            rows_.push_back({line, std::move(cells)});
            continue;
        }
        header_ = line;
        for (const std::string_view cell : cells) {
            if (known.size() > 0 && std::find(known.begin(), known.end(), cell) == known.end()) {
                std::string names;
                for (const std::string_view name : known) {
                    names += (names.empty() ? "" : ", ") + std::string(name);
                }
                line.refuse("column", cell, "must be one of " + names);
            }
            if (has(cell)) {
                line.refuse("column", cell, "is there twice");
            }
            names_.emplace_back(cell);
        }
    }
    if (rows_.empty()) {
        file.whole().refuse("holds no row");
    }
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    return at == names_.end() ? std::nullopt : std::optional<std::size_t>(at - names_.begin());
}

void CsvTable::require(std::string_view name) const {
    if (!has(name)) {
        header_.refuse("column " + std::string(name) + " is missing");
    }
}

std::string_view CsvTable::text(const Row& row, std::string_view name) const {
    require(name);
    return row.cells[*find(name)];
}

double CsvTable::number(const Row& row, std::string_view name) const {
    return row.line.number_of(name, text(row, name));
}

std::optional<double> CsvTable::number_if(const Row& row, std::string_view name) const {
    return has(name) ? std::optional<double>(number(row, name)) : std::nullopt;
}

double CsvTable::number_or_gap(const Row& row, std::string_view name) const {
    return lower_case(text(row, name)) == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                                : number(row, name);
}

double CsvTable::metres(const Row& row, std::string_view name) const {
    const std::string km = std::string(name) + "_km";
    const std::string m = std::string(name) + "_m";
    if (has(km) == has(m)) {
        header_.refuse("must have one of the columns " + km + " and " + m);
    }
    return has(km) ? kMetresPerKm * number(row, km) : number(row, m);
}

}  // namespace kaname
