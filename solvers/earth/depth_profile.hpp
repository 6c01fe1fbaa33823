// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::earth {

struct Speeds {
    double vp_m_per_s = 0.0, vs_m_per_s = 0.0, density_kg_per_m3 = 0.0;

    [[nodiscard]] double mu_pa() const { return density_kg_per_m3 * vs_m_per_s * vs_m_per_s; }
    /// rho (vp^2 - 2 vs^2)
    [[nodiscard]] double lambda_pa() const {
        return density_kg_per_m3 * vp_m_per_s * vp_m_per_s - 2.0 * mu_pa();
    }
    /// Returns true if the values are those of a solid: density and shear modulus > 0, bulk modulus
    /// rho (vp^2 - 4/3 vs^2) > 0.
    [[nodiscard]] bool is_solid() const {
        return density_kg_per_m3 > 0.0 && vs_m_per_s > 0.0 &&
               3.0 * vp_m_per_s * vp_m_per_s > 4.0 * vs_m_per_s * vs_m_per_s;
    }
};

/// Speeds over depth below sea level: linear between rows, a jump where a depth is repeated,
/// constant above the first row and below the last.
struct DepthProfile {
    struct Row {
        double depth_m = 0.0;
        Speeds speeds;
    };
    std::vector<Row> rows;  ///< at least one; depth never decreases

    /// Mean speeds and density over top_m <= depth <= bottom_m.
    [[nodiscard]] Speeds mean(double top_m, double bottom_m) const;
    /// Depths between top_m and bottom_m at which speeds or density jump by more than
    /// 0.5 %.
    [[nodiscard]] std::vector<double> jumps(double top_m, double bottom_m) const;
};

/// Reads, by its ending, .nd (depth km, vp and vs km/s, density g/cm3 [, ...]; a line of one word
/// names a discontinuity), .tvel (the same after two lines of titles) or .csv (columns depth_km or
/// depth_m; vp, vs in km/s; density or rho in g/cm3, or density_kg_per_m3).
/// Throws NotFound, InvalidArgument with the line.
[[nodiscard]] DepthProfile read_depth_profile(const std::string& path);

/// Cuts the range into at most `most` steps, with jumps on their bounds: the step whose shear
/// modulus varies most is halved until all vary by less than 1 %. Returns the steps' bounds.
/// Throws InvalidArgument when there are more layers between jumps than steps.
[[nodiscard]] std::vector<double> cut_profile(const DepthProfile& profile, double top_m,
                                              double bottom_m, int most);

}  // namespace kaname::earth
