// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/read_slip_model.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "solvers/fault/slip_model/patch_rules.hpp"

namespace kaname::slip_model {
namespace {

SlipFormat find_format(const TextFile& file) {
    const std::string extension = lower_case(file.path().extension().string());
    if (extension == ".fsp") {
        return SlipFormat::SrcmodFsp;
    }
    if (extension == ".param") {
        return SlipFormat::UsgsParam;
    }
    if (extension == ".flt") {
        return SlipFormat::RelaxFlt;
    }
    if (extension == ".rupt") {
        return SlipFormat::MudpyRupt;
    }
    if (extension == ".srf") {
        return SlipFormat::Srf;
    }
    if (extension == ".geojson") {
        return SlipFormat::UsgsGeojson;
    }
    for (const TextLine& line : file.lines()) {
        const std::string text = lower_case(line.text);
        if (text.starts_with('>')) {
            return SlipFormat::CsiGmt;
        }
        if (text.starts_with('{')) {
            return SlipFormat::UsgsGeojson;
        }
        if (text.starts_with('%')) {
            return SlipFormat::SrcmodFsp;
        }
        if (text.starts_with("#total number of fault_segments")) {
            return SlipFormat::UsgsParam;
        }
        if (text.starts_with('#')) {
            continue;
        }
        if (text.find("lon0_deg") != text.npos) {
            return SlipFormat::CornerCsv;
        }
        if (text.find("strike_deg") != text.npos && text.find(',') != text.npos) {
            return SlipFormat::PatchCsv;
        }
        break;
    }
    if (const auto format = format_of_rows(file)) {
        return *format;
    }
    file.whole().refuse(
        "format: neither the extension nor the first line that is no comment tells it; name one of "
        "srcmod_fsp, usgs_param, usgs_geojson, csi_gmt, relax_flt, mudpy_rupt, patch_csv, "
        "corner_csv, srf, points");
}

/// Refuses options that the format does not use: a unit that nothing reads would change nothing.
void check_options(const TextFile& file, SlipFormat format, const ReadOptions& options) {
    const auto belongs = [&](bool said, const char* name, SlipFormat to) {
        if (said && format != to) {
            file.whole().refuse(std::string(name) + ": belongs to format " +
                                std::string(to_string(to)) + " alone, the file is " +
                                std::string(to_string(format)));
        }
    };
    belongs(options.rake_deg.has_value(), "rake_deg", SlipFormat::CsiGmt);
    belongs(options.length_unit.has_value(), "length_unit", SlipFormat::RelaxFlt);
    belongs(options.slip_unit.has_value(), "slip_unit", SlipFormat::RelaxFlt);
    belongs(options.flt_point != PatchPoint::TopStart, "position", SlipFormat::RelaxFlt);
}

SlipModel read(const TextFile& file, SlipFormat format, const ReadOptions& options) {
    switch (format) {
        case SlipFormat::SrcmodFsp:
            return read_srcmod_fsp(file);
        case SlipFormat::UsgsParam:
            return read_usgs_param(file);
        case SlipFormat::CsiGmt:
            return read_csi_gmt(file, options);
        case SlipFormat::RelaxFlt:
            return read_relax_flt(file, options);
        case SlipFormat::MudpyRupt:
            return read_mudpy_rupt(file);
        case SlipFormat::PatchCsv:
            return read_patch_csv(file);
        case SlipFormat::CornerCsv:
            return read_corner_csv(file);
        case SlipFormat::UsgsGeojson:
            return read_usgs_geojson(file);
        case SlipFormat::Srf:
            return read_srf(file);
    }
    file.whole().refuse("format: unknown");
}

}  // namespace

SlipModel read_slip_model(const std::filesystem::path& path, const ReadOptions& options) {
    const TextFile file(path);
    const SlipFormat format = options.format ? *options.format : find_format(file);
    check_options(file, format, options);
    SlipModel model = read(file, format, options);
    model.format = format;
    if (model.name.empty()) {
        model.name = path.stem().string();
    }
    check_patches(model, file);
    return model;
}

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
