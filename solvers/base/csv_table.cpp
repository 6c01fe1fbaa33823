// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/csv_table.hpp"

#include <algorithm>
#include <limits>

#include "solvers/base/units.hpp"

namespace kaname {
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
