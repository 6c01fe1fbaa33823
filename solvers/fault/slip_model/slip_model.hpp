// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace kaname::slip_model
