// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/format_of_rows.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace kaname::slip_model {
namespace {

bool is_number(std::string_view cell) {
    cell.remove_prefix(cell.starts_with('+') ? 1 : 0);
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && end == cell.data() + cell.size();
}

bool begins_a_block(std::string_view text) {
    const std::string word = lower_case(text);
    return word.starts_with("plane") || word.starts_with("points");
}

}  // namespace

std::optional<SlipFormat> format_of_rows(const TextFile& file) {
    constexpr std::size_t kFlt = 10, kRupt = 14, kRuptWithVelocity = 15;
    const TextLine* version = nullptr;
    for (const TextLine& line : file.lines()) {
        if (line.text.starts_with('#')) {
            continue;
        }
        if (version != nullptr) {
            return begins_a_block(line.text) ? std::optional(SlipFormat::Srf) : std::nullopt;
        }
        const std::vector<std::string_view> cells = cells_of(line.text);
        if (!std::ranges::all_of(cells.begin() + 1, cells.end(), is_number)) {
            return std::nullopt;
        }
        if (cells.size() == 1 && is_number(cells[0])) {
            version = &line;
            continue;
        }
        switch (cells.size()) {
            case kFlt:
                return SlipFormat::RelaxFlt;
            case kRupt:
            case kRuptWithVelocity:
                return SlipFormat::MudpyRupt;
            default:
                return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace kaname::slip_model
