// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_model.hpp"

namespace kaname::earth {

/// A surface as a user describes it. Exactly one of depth_m, path and below is given.
struct SurfaceDefinition {
    std::string name;
    std::string field;              ///< begins the messages about it: structure.surfaces[2]
    std::optional<double> depth_m;  ///< constant
    /// File of a grid: csv, netCDF-4 or ESRI ASCII, as read_surface_file() reads them. Empty: none.
    std::string path;
    std::string column, unit;  ///< what the file does not say itself: SurfaceFileRules
    std::string below;         ///< name of the surface above, under which this one is laid
    double thickness_m = 0.0;  ///< distance from it along its normal, or down where `vertical`
    /// With `below`: file of the polygon (SurfaceOutline) outside of which thickness_m falls to 0;
    /// empty: none.
    std::string outline_path;
    double end_length_m = 0.0;  ///< distance over which it falls to 0; 0: as thickness_m
    double min_depth_m = 0.0;   ///< with has_limits: least depth (DepthLimits, with rounded bends)
    double max_depth_m = 0.0;   ///< with has_limits: largest depth
    bool has_limits = false;
    double smoothing_length_m = 0.0;  ///< standard deviation of a Gaussian; 0: none
    double spacing_m = 0.0;  ///< spacing of its grid; 0: a four-hundredth of the longer side,
                             ///< <= 4 km, more away from the focus
    bool vertical = false;
};

struct VolumeDefinition {
    std::string name, field;
    std::string top, bottom;  ///< names of surfaces; empty: no bound
    double size_m = 0.0;
    // Exactly one of the three:
    int material = -1;          ///< index into the materials
    std::string profile_path;   ///< read_depth_profile(); depth counts from sea level
    std::string columns_path;   ///< CRUST1.0-like csv: read_earth_columns(); nearest cell
    std::string columns_layer;  ///< layer taken from them: "upper_crust"
    std::optional<double> viscosity_pa_s;  ///< viscosity of a profile or columns; absent: elastic
    std::optional<ViscosityRange> viscosity_range = {};  ///< of all of it
    int steps = 0;                ///< most materials that a profile is cut into; 0: 20
    bool may_be_nowhere = false;  ///< false: a volume without a place in the box is an error
};

/// Part of the plan, in the box's frame.
struct PlanWindow {
    double low_u = 0.0, high_u = 0.0, low_v = 0.0, high_v = 0.0;
};

struct VolumeLayout {
    double size_u_m = 0.0, size_v_m = 0.0, depth_m = 0.0, azimuth_rad = 0.0;
    std::vector<Material> materials;  ///< the constant ones
    std::vector<SurfaceDefinition> surfaces;
    std::string free_surface;  ///< name; empty: flat at z = 0
    std::vector<VolumeDefinition> volumes;
    /// Where surfaces matter most: their grids coarsen away from it. Absent: even everywhere.
    std::optional<PlanWindow> focus;
};

struct BuiltVolumeModel {
    std::shared_ptr<const VolumeModel> model;
    std::vector<std::string> notes;  ///< what was extended, limited or merged, and how much of it
};

/// Reads the files and lays the surfaces over the box: the free surface first, the others as
/// listed. Materials made from files follow the constant ones, volume by volume, the same for the
/// same layout. Beyond its data a surface's value and slope carry on, the slope dying out over 30
/// km; the free surface goes on as the membrane through the edge of its data. Throws
/// ValidationError with everything that is wrong, each naming field, surface and place: no overlap
/// with the region, no data at all, unknown or circular names, an order that leaves a volume empty,
/// a top under its bottom.
[[nodiscard]] BuiltVolumeModel build_volume_model(const VolumeLayout& layout,
                                                  const Projection& projection);

/// Collects the findings of building a model: all violations, and notes worth knowing.
struct Findings {
    std::vector<Violation> violations;
    std::vector<std::string> notes;

    void fail(const std::string& field, const std::string& message) {
        violations.push_back({field, message});
    }
    /// Throws ValidationError when anything failed.
    void throw_if_any() const {
        if (!violations.empty()) {
            throw ValidationError(violations);
        }
    }
    /// Runs `step` and takes its complaint about the user's input as a violation of `field`; what
    /// is no fault of the input goes on.
    template <typename Step>
    bool collect(const std::string& field, const std::string& subject, const Step& step) {
        try {
            step();
            return true;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::InvalidArgument && error.code() != ErrorCode::NotFound) {
                throw;
            }
            fail(field, subject + ": " + error.what());
            return false;
        }
    }
};

}  // namespace kaname::earth
