// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/source_time/time_function.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

/// Slip models and rectangles as point sources of waves, whatever solves them.
namespace kaname::jobs {

/// Slip at once on a rectangle whose middle lies along_m along strike and down_m down dip of a
/// place.
struct PatchRequest {
    earth::LonLat place;
    double depth_m = 0.0;  ///< of the place
    double strike_deg = 0.0, dip_deg = 0.0, rake_deg = 0.0;
    double along_m = 0.0, down_m = 0.0, length_m = 0.0, width_m = 0.0, slip_m = 0.0;
    source_time::TimeFunction time = source_time::TimeFunction::ricker(1.0, 0.0);  ///< of the rate
};

/// A slip model, or patches, as point sources.
struct RuptureRequest {
    std::string path;
    /// Patches in place of path, read and the options but spacing; all have one time function.
    std::vector<PatchRequest> patches;
    slip_model::ReadOptions read;
    slip_model::KinematicOptions options;  ///< spacing 0: that of the solver
    std::optional<WavePlace> hypocentre;   ///< in place of options.hypocentre_m
    std::optional<earth::LonLat> origin;   ///< of a model in a local frame
    double start_s = 0.0, scale = 1.0;
};

/// Returns the point sources of a rupture, where they lie in the projection's frame (x east, y
/// north, z up), with moments per Pa of the rigidity there [m3]; `spacing_m` holds where the
/// rupture states none. A hypocentre by x, y, z is in that frame too. Throws ValidationError (of
/// `field`) for a file that is none, and for what it leaves unsaid and the request too.
[[nodiscard]] std::vector<slip_model::KinematicPoint> rupture_points(
    const RuptureRequest& rupture, const earth::Projection& projection, const std::string& field,
    double spacing_m);

/// Returns the corners of a request's patches in the projection's frame, upper ones first; none of
/// a file's.
[[nodiscard]] std::vector<std::array<Vec3, 4>> patch_corners(const RuptureRequest& rupture,
                                                             const earth::Projection& projection);

/// Says of a rupture how many points it has, its magnitude and the sum of its points' scalar
/// moments [N m]: "source quake: 96 points, Mw 6.51, 6.6e18 N m".
[[nodiscard]] std::string moment_note(const std::string& id, std::size_t points, double moment_nm);

}  // namespace kaname::jobs
