// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::request {
namespace {

constexpr std::uintmax_t kMaxBytes = 64u << 20;

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
    throw Error(ErrorCode::InvalidArgument, "file '" + source + "' " + why);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string read_text_file(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) {
        throw Error(ErrorCode::NotFound, "file '" + path + "' does not exist");
    }
    if (std::filesystem::is_directory(path, failed)) {
        refuse(path, "is a folder, not a file");
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw Error(ErrorCode::NotFound, "file '" + path + "' cannot be opened for reading");
    }
    std::string text;
    std::vector<char> piece(1 << 16);
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > kMaxBytes) {
            refuse(path, "is longer than 64 MiB");
        }
    }
    if (in.bad()) {
        throw Error(ErrorCode::Unavailable, "reading file '" + path + "' failed");
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.erase(0, 3);
    }
    check_text(text, path);
    return text;
}

void check_text(std::string_view text, const std::string& source) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        refuse(source, "is empty");
    }
    if (text.find('\0') != std::string_view::npos || !is_utf8(text)) {
        refuse(source, "is not text in UTF-8");
    }
}

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    // from_chars would also take the words inf and nan.
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    if (first >= text.size() ||
        !(text[first] == '.' || (text[first] >= '0' && text[first] <= '9'))) {
        return std::nullopt;
    }
    double value = 0.0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        return std::numeric_limits<double>::infinity();
    }
    return value;
}

std::string show(double value) {
    char buffer[32];
    // 100000 reads better than 1e+05, which is shorter.
    const bool plain = std::abs(value) >= 1e-3 && std::abs(value) < 1e7;
    const auto [end, error] =
        plain ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
              : std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end};
}

std::string show_rounded(double value) {
    constexpr int kDigits = 12;
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.*g", kDigits, value);
    return show(parse_number(digits).value_or(value));
}

std::string number_hint(std::string_view text, std::string_view name) {
    const bool digits = text.find_first_of("0123456789") != std::string_view::npos;
    const auto only = [&](std::string_view characters) {
        return text.find_first_not_of(characters) == std::string_view::npos;
    };
    if (!digits) {
        return "";
    }
    const bool degrees = name.starts_with("lon") || name.starts_with("lat") ||
                         name.ends_with("_deg") || name.find("_deg[") != std::string_view::npos;
    if (degrees && !only("0123456789.,+-eE ")) {
        return "; degrees are written with decimals, south and west below 0";
    }
    if (std::ranges::count(text, ',') == 1 && only("0123456789,+-eE")) {
        return "; decimals are written with a point";
    }
    if (text.find_first_of("^*") != std::string_view::npos) {
        return "; powers of ten are written as 1e19";
    }
    return text.find(' ') != std::string_view::npos && only("0123456789.+-eE ")
               ? "; a comma parts two numbers"
               : "";
}

std::string quote(std::string_view text) {
    constexpr std::size_t kShown = 60;
    std::size_t cut = std::min(text.size(), kShown);
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
        --cut;
    }
    std::string quoted(1, '\'');
    quoted.append(text.substr(0, cut));
    quoted.append(cut < text.size() ? "...'" : "'");
    return quoted;
}

std::string join_or(std::span<const std::string> words) {
    std::string text;
    for (std::size_t word = 0; word < words.size(); ++word) {
        if (word > 0) {
            text += word + 1 == words.size() ? " or " : ", ";
        }
        text += words[word];
    }
    return text;
}

namespace {

/// Words of other programs for the same thing; those of commands are here, too.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
    {"mw", "magnitude"},
    {"Mw", "magnitude"},
    {"m0", "moment_n_m"},
    {"M0", "moment_n_m"},
    {"longitude", "lon_deg"},
    {"latitude", "lat_deg"},
    {"top_depth_m", "top_centre"},
    {"top_depth_km", "top_centre"},
    {"map", "plot"},
    {"table", "slice"},
    {"--epoch", "--years"},
    {"--epochs", "--years"},
};

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    for (const auto& [other, ours] : kOtherWords) {
        if (other == word && std::ranges::find(candidates, ours) != candidates.end()) {
            return std::string(ours);
        }
    }
    std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::string found;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        // A word that is replaced completely is no misspelling.
        if (distance < best && distance < std::max(word.size(), candidate.size())) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

std::string cmt_axes(std::string_view key) {
    key.remove_prefix(key.starts_with('m') || key.starts_with('M') ? 1 : 0);
    const auto is_axis = [](char c) { return c == 'r' || c == 't' || c == 'p'; };
    if (key.size() < 2 || !is_axis(key[0]) || !is_axis(key[1]) ||
        (key.size() > 2 && key[2] != '_')) {
        return {};
    }
    return "r is up, t south, p east: zz = Mrr, yy = Mtt, xx = Mpp, yz = -Mrt, xz = Mrp, xy = -Mtp "
           "(xx_n_m, yy_n_m, zz_n_m, yz_n_m, xz_n_m, xy_n_m)";
}

std::string material_hint(std::string_view key) {
    for (const char* elastic : {"poisson", "nu", "young", "youngs", "bulk", "shear", "rigidity"}) {
        if (key == elastic || key.starts_with(std::string(elastic) + "_")) {
            return "stiffness is given by lambda and mu, or by vp, vs and density";
        }
    }
    return (key.starts_with("log") && key.find("visc") != std::string_view::npos) || key == "eta" ||
                   key.starts_with("eta_")
               ? "did you mean viscosity_pa_s? It takes the number itself, as in 1e19"
               : "";
}

namespace {

constexpr std::size_t kMaxReported = 50;

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::size_t> station_column(std::span<const std::string> names) {
    for (const char* known : {"station", "id", "site", "point", "name"}) {
        if (const auto at = std::ranges::find(names, known); at != names.end()) {
            return static_cast<std::size_t>(at - names.begin());
        }
    }
    return std::nullopt;
}

std::vector<std::string> column_names(const std::string& column) {
    if (column == "lon_deg") {
        return {column, "lon", "longitude"};
    }
    if (column == "lat_deg") {
        return {column, "lat", "latitude"};
    }
    return {column};
}

std::string other_separator(std::string_view line) {
    if (line.find(',') != std::string_view::npos) {
        return "";
    }
    return line.find(';') != std::string_view::npos         ? "';'"
           : line.find('\t') != std::string_view::npos      ? "a tab"
           : trim(line).find(' ') != std::string_view::npos ? "blanks"
                                                            : "";
}

std::optional<std::vector<std::string>> split_csv(std::string_view line) {
    std::vector<std::string> cells;
    std::string cell;
    bool quoted = false;
    bool was_quoted = false;
    const auto finish = [&] {
        cells.push_back(was_quoted ? cell : std::string(trim(cell)));
        cell.clear();
        was_quoted = false;
    };
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (quoted && c == '"' && at + 1 < line.size() && line[at + 1] == '"') {
            cell += c;
            ++at;
        } else if (c == '"' && (quoted || trim(cell).empty())) {
            quoted = !quoted;
            if (quoted) {
                cell.clear();
            }
            was_quoted = true;
        } else if (c == ',' && !quoted) {
            finish();
        } else if (!was_quoted || quoted) {
            cell += c;
        }
    }
    if (quoted) {
        return std::nullopt;
    }
    finish();
    return cells;
}

void for_each_csv_line(std::string_view text,
                       const std::function<bool(int line, std::string_view text)>& visit) {
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && line.front() != '#' && !visit(number, line)) {
            return;
        }
    }
}

void RowErrors::fail(int line, std::string message) {
    if (broken_.size() < kMaxReported) {
        broken_.push_back({at(line), std::move(message)});
    }
    ++count_;
}

std::vector<Violation> RowErrors::take() {
    if (count_ > broken_.size()) {
        broken_.push_back(
            {path_, "has " + std::to_string(count_ - broken_.size()) + " more errors like these"});
    }
    count_ = 0;
    return std::move(broken_);
}

}  // namespace kaname::request
