// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/slip_model.hpp"

#include <array>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::slip_model {
namespace {

constexpr std::array<std::pair<SlipFormat, std::string_view>, 9> kFormats = {{
    {SlipFormat::SrcmodFsp, "srcmod_fsp"},
    {SlipFormat::UsgsParam, "usgs_param"},
    {SlipFormat::CsiGmt, "csi_gmt"},
    {SlipFormat::RelaxFlt, "relax_flt"},
    {SlipFormat::MudpyRupt, "mudpy_rupt"},
    {SlipFormat::PatchCsv, "patch_csv"},
    {SlipFormat::CornerCsv, "corner_csv"},
    {SlipFormat::UsgsGeojson, "usgs_geojson"},
    {SlipFormat::Srf, "srf"},
}};

}  // namespace

std::string_view to_string(SlipFormat format) {
    for (const auto& [value, name] : kFormats) {
        if (value == format) {
            return name;
        }
    }
    return "unknown";
}

SlipFormat slip_format(std::string_view name) {
    std::string names;
    for (const auto& [value, known] : kFormats) {
        if (known == name) {
            return value;
        }
        names += names.empty() ? known : ", " + std::string(known);
    }
    throw Error(ErrorCode::InvalidArgument,
                "slip model format: '" + std::string(name) + "', must be one of " + names);
}

double RigidityTable::mu_pa(double depth_m) const {
    double mu = rows.front().mu_pa;
    for (const Row& row : rows) {
        if (row.top_depth_m > depth_m) {
            break;
        }
        mu = row.mu_pa;
    }
    return mu;
}

}  // namespace kaname::slip_model
