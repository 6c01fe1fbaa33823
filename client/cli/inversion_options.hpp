// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/inversion.pb.h"

namespace kaname::cli {

/// An inversion said by options in place of a specification.
struct InversionOptions {
    std::string name = "inversion", greens{};
    std::vector<std::string> data{}, kinds{};  ///< one kind for each file, or one for all, or none
    std::string unit{};
    double epoch_years = 0.0;
    std::optional<double> since_years{};
    double sigma_east_m = 0.0, sigma_north_m = 0.0, sigma_up_m = 0.0, sigma_los_m = 0.0;
    std::optional<double> rake_from_deg{}, rake_to_deg{}, azimuth_deg{}, max_m{}, magnitude{};
    bool allow_negative = false;
    std::string choice{};
};

/// The specification that the options stand for; files have absolute paths. Throws InvalidArgument
/// for kinds that are neither one nor as many as the files.
[[nodiscard]] v1::Inversion inversion_of(const InversionOptions& options);

/// It as YAML for people to go on from; paths count from `folder`, where it will lie.
[[nodiscard]] std::string yaml_of(v1::Inversion inversion, const std::filesystem::path& folder);

}  // namespace kaname::cli
