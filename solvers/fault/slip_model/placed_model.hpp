// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::slip_model {

enum class SlipFormat {
    SrcmodFsp,    ///< SRCMOD .fsp, one or several segments
    UsgsParam,    ///< US Geological Survey finite fault .param
    CsiGmt,       ///< csi: GMT multi-segment file of rectangles
    RelaxFlt,     ///< Relax, Unicycle: .flt, x1 north, x2 east, x3 down
    MudpyRupt,    ///< MudPy, FakeQuakes: .rupt
    PatchCsv,     ///< a row per patch: its centre and sizes
    CornerCsv,    ///< a row per patch: its four corners
    UsgsGeojson,  ///< US Geological Survey FFM.geojson: a polygon per patch
    Srf,          ///< Standard Rupture Format 1.0 and 2.0: points with rates of slip
};
/// "srcmod_fsp", "usgs_param", "csi_gmt", "relax_flt", "mudpy_rupt", "patch_csv", "corner_csv",
/// "usgs_geojson", "srf".
[[nodiscard]] std::string_view to_string(SlipFormat format);
/// Throws InvalidArgument that lists the names.
[[nodiscard]] SlipFormat slip_format(std::string_view name);

/// Slip in one direction as a series of rates from the rupture time on, 0 behind its end.
struct SlipRate {
    double slip_m = 0.0;  ///< what it adds up to; < 0 is against the rake
    double rake_deg = 0.0;
    double interval_s = 0.0;
    std::vector<double> rate_m_per_s;
};

/// One planar rectangle with constant slip. The slip is that of the hanging wall relative to the
/// footwall, rake after Aki and Richards: 0 left-lateral, 90 reverse, -90 normal, 180
/// right-lateral.
struct SlipPatch {
    std::string id;           ///< "17", or "2/17" in the second of several segments
    int segment = 0;          ///< index into SlipModel::segments
    double lon_deg = 0.0;     ///< centre; models in longitude and latitude
    double lat_deg = 0.0;     ///< centre; models in longitude and latitude
    double east_m = 0.0;      ///< centre; models in a local frame
    double north_m = 0.0;     ///< centre; models in a local frame
    double depth_m = 0.0;     ///< centre, positive down
    double length_m = 0.0;    ///< along strike
    double width_m = 0.0;     ///< down dip
    double strike_deg = 0.0;  ///< clockwise from (true or the frame's) north; dips to its right
    double dip_deg = 0.0;     ///< [0, 90]
    double rake_deg = 0.0;    ///< as the file has it, may lie outside [-180, 360]
    double slip_m = 0.0;      ///< >= 0
    double opening_m = 0.0;   ///< > 0 opens
    std::optional<double> rupture_time_s = {};  ///< start of slip after the origin time
    std::optional<double> rise_time_s = {};     ///< USGS: rise and fall together
    std::optional<double> moment_nm = {};       ///< as the file states it
    /// Where a format has them; they add up to slip_m along rake_deg.
    std::vector<SlipRate> rates = {};

    [[nodiscard]] double area_m2() const { return length_m * width_m; }
};

/// One plane of the model; its patches usually form a grid.
struct SlipSegment {
    double strike_deg = 0.0;  ///< strike of the plane; SRCMOD patches may state their own
    double dip_deg = 0.0;
};

/// Shear modulus of a layered structure that came with the model.
struct RigidityTable {
    struct Row {
        double top_depth_m = 0.0;
        double mu_pa = 0.0;  ///< density vs^2
    };
    std::vector<Row> rows;  ///< ascending depth, the first holds above it as well

    [[nodiscard]] double mu_pa(double depth_m) const;
};

struct Hypocentre {
    double lon_deg = 0.0;
    double lat_deg = 0.0;
    double depth_m = 0.0;
};

struct SlipModel {
    std::string name;  ///< the file's own title, else the file's name
    SlipFormat format = SlipFormat::PatchCsv;
    bool geographic = true;  ///< lon_deg, lat_deg hold the centres; else east_m, north_m
    std::vector<SlipPatch> patches;
    std::vector<SlipSegment> segments;
    std::optional<Hypocentre> hypocentre = {};
    std::optional<double> published_moment_nm = {};  ///< as the header states it
    std::optional<double> published_mw = {};         ///< as the header states it
    std::optional<RigidityTable> rigidity = {};
    std::vector<std::string> warnings;  ///< what a user should know, one sentence each
};

/// A patch in the model frame (x east, y north, z up, metres).
struct PlacedPatch {
    std::string id;
    int segment = 0;
    Vec3 centre;
    double length_m = 0.0;
    double width_m = 0.0;
    double strike_rad = 0.0;  ///< grid azimuth: true strike + meridian convergence
    double dip_rad = 0.0;
    Vec3 slip_m;  ///< displacement of the hanging wall relative to the footwall, with opening

    [[nodiscard]] double area_m2() const { return length_m * width_m; }
    [[nodiscard]] Vec3 along_strike() const;  ///< unit
    [[nodiscard]] Vec3 down_dip() const;      ///< unit
    [[nodiscard]] Vec3 normal() const;        ///< unit, into the hanging wall
};

struct PlacedSegment {
    double strike_rad = 0.0;  ///< grid azimuth
    double dip_rad = 0.0;
};

struct PlacedModel {
    std::vector<PlacedPatch> patches;
    std::vector<PlacedSegment> segments;
};

/// Where a patch's centre is in the model frame, and what turns its strike into a grid azimuth.
struct PatchSpot {
    Vec3 centre;
    double convergence_rad = 0.0;
};
[[nodiscard]] PlacedModel place(const SlipModel& model,
                                const std::function<PatchSpot(const SlipPatch& patch)>& spot_of);

/// A model in a local frame, whose origin lies at `origin` of the model frame and whose north is
/// grid north. Throws InvalidArgument for a model in longitude and latitude.
[[nodiscard]] PlacedModel place(const SlipModel& model, const Vec3& origin);

/// Sums over patches of area A and slip s (shear only; opening is not counted).
struct MomentSum {
    double moment_nm = 0.0;   ///< sum mu A s
    double potency_m3 = 0.0;  ///< sum A s
    double area_m2 = 0.0;     ///< sum A
    double max_slip_m = 0.0;

    /// (log10 M0 - 9.1) / 1.5 (Hanks and Kanamori 1979 in SI); minus infinity without moment.
    [[nodiscard]] double mw() const;
};
[[nodiscard]] double moment_magnitude(double moment_nm);
/// The other way round.
[[nodiscard]] double moment_of_magnitude(double magnitude);

/// Moment of one patch [N m]. mu_pa(x) is averaged down it (midpoint rule), so a patch across a
/// layer boundary counts both layers. Throws InvalidArgument naming the patch when mu is negative
/// or not finite.
[[nodiscard]] double patch_moment(const PlacedPatch& patch,
                                  const std::function<double(const Vec3& x)>& mu_pa);
/// The sums over a model. Throws as above.
[[nodiscard]] MomentSum seismic_moment(const PlacedModel& model,
                                       const std::function<double(const Vec3& x)>& mu_pa);

/// Why `patch` does not lie in the plane of `first`: how far off it is [m], how far it is turned
/// [deg], and what is allowed. Empty when it lies there.
[[nodiscard]] std::string off_plane(const PlacedPatch& first, const PlacedPatch& patch);

}  // namespace kaname::slip_model
