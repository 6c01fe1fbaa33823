// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/yaml_reader.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::request {

/// Throws ValidationError with everything that could not be read.
inline v1::GreensBatch read_yaml(std::string_view text, const std::string& source = "text") {
    v1::GreensBatch batch;
    YamlReading reading = scan_yaml(text, source, batch);
    if (!reading.violations.empty()) {
        throw ValidationError(std::move(reading.violations));
    }
    return batch;
}

}  // namespace kaname::request

namespace kaname::request::examples {

/// Folder of its own that goes away with the test.
class Folder {
public:
    /// Writes a file and gives its path.
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = folder_.path(name);
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    [[nodiscard]] std::string path() const { return folder_.path().string(); }

private:
    support::TemporaryFolder folder_;
};

/// Valid, with a plane fault and no files.
inline const std::string kPlaneYaml = R"(schema: kaname.v1.GreensBatch
name: strike-slip-box
region: {centre_lon_deg: 135, centre_lat_deg: 33, size_east_km: 200, size_north_km: 200, depth_km: 100}
structure:
  materials:
    - {name: crust, vp_km_per_s: 6.8, vs_km_per_s: 3.9, density_g_per_cm3: 2.9}
    - {name: mantle, lambda_gpa: 70, mu_gpa: 65, viscosity_pa_s: 1e19}
  layers:
    - {material: crust, bottom_depth_km: 30}
    - {material: mantle}
fault:
  plane:
    centre_lon_deg: 135
    centre_lat_deg: 33
    top_depth_km: 0
    strike_deg: 0
    dip_deg: 90
    length_km: 16.1
    width_km: 12
stations:
  list:
    - {id: G001, lon_deg: 135.2, lat_deg: 33.1}
mesh: {size_at_fault_km: 4, size_far_km: 30}
time: {step_days: 30, end_years: 2, epochs_years: [0, 1, 2]}
)";

/// Valid, with an interface and files slab.csv and gnss.csv beside it.
inline const std::string kInterfaceYaml = R"(schema: kaname.v1.GreensBatch
name: nankai
region: {centre_lon_deg: 135, centre_lat_deg: 33, size_east_km: 900, size_north_km: 700, depth_km: 300}
structure:
  materials:
    - {name: crust, vp_km_per_s: 6.8, vs_km_per_s: 3.9, density_g_per_cm3: 2.9}
    - {name: slab, vp_km_per_s: 6.8, vs_km_per_s: 4.0, density_g_per_cm3: 2.9}
    - {name: mantle, vp_km_per_s: 8.0, vs_km_per_s: 4.5, density_g_per_cm3: 3.4, viscosity_pa_s: 1e19}
  layers:
    - {material: crust, bottom_depth_km: 30}
    - {material: mantle}
  below_interface:
    - {material: slab, bottom_depth_km: 30}
    - {material: mantle}
fault:
  interface:
    surface: slab.csv
    max_depth_km: 100
    patches: {origin_lon_deg: 134, origin_lat_deg: 32.5, strike_deg: 245, n_strike: 3, n_dip: 2,
              spacing_strike_km: 20, spacing_dip_km: 20}
stations:
  files: [gnss.csv]
mesh: {size_at_fault_km: 5, size_far_km: 60}
)";
/// Valid, with files model.msh, slab.csv and splay.csv beside it.
inline const std::string kMeshYaml = R"(schema: kaname.v1.GreensBatch
name: own-mesh
region: {crs: none}
structure:
  materials:
    - {name: crust, lambda_gpa: 30, mu_gpa: 30}
mesh: {file: model.msh}
fault:
  mesh:
    surfaces: [{name: slab, strike_deg: 20}, splay]
    sources:
      - {name: slab, slip: [{surface: slab, file: slab.csv, reach_km: 2}]}
      - name: both
        slip: [{surface: slab, file: slab.csv}, {surface: splay, file: splay.csv}]
boundaries:
  surfaces:
    - {name: bottom, kind: fixed}
    - {name: sides, fixed: [east, north]}
stations:
  list:
    - {id: A, x_km: -5, y_km: 0}
)";

/// Valid, with files gebco.asc, crust1.csv, slab2.grd and prem.nd beside it.
inline const std::string kVolumesYaml = R"(schema: kaname.v1.GreensBatch
name: nankai
region: {centre_lon_deg: 135, centre_lat_deg: 33, size_east_km: 900, size_north_km: 700, depth_km: 300}
structure:
  materials:
    - {name: oc, vp_km_per_s: 6.8, vs_km_per_s: 4.0, density_g_per_cm3: 2.9}
    - {name: mantle, vp_km_per_s: 8.0, vs_km_per_s: 4.5, density_g_per_cm3: 3.4, viscosity_pa_s: 1e19}
  surfaces:
    - {name: topography, file: gebco.asc, unit: m}
    - {name: moho, file: crust1.csv, column: top_mantle_km}
    - {name: slab-top, file: slab2.grd, min_depth_km: 5, max_depth_km: 100, smoothing_length_km: 10}
    - {name: slab-moho, below: slab-top, thickness_km: 7}
    - {name: conrad, depth_km: 15}
  free_surface: topography
  volumes:
    - {name: oceanic-crust, material: oc, top: slab-top, bottom: slab-moho, size_km: 20}
    - {name: crust, bottom: moho, columns: {file: crust1.csv, layer: upper_crust, viscosity_pa_s: 1e25}}
    - {name: lid, bottom: conrad, material: mantle}
    - {name: mantle, profile: {file: prem.nd, viscosity_pa_s: 1e19}}
fault:
  interface:
    of: slab-top
    patches: {origin_lon_deg: 134, origin_lat_deg: 32.5, strike_deg: 245, n_strike: 3, n_dip: 2,
              spacing_strike_km: 20, spacing_dip_km: 20}
stations:
  list:
    - {id: G001, lon_deg: 135.2, lat_deg: 33.1}
mesh: {size_at_fault_km: 5, size_far_km: 60, size_at_surface_km: 20, size_at_stations_km: 10,
       sizes_by_depth: [{depth_km: 40, size_km: 15}, {depth_km: 100, size_km: 30}]}
time: {epochs_years: [0], end_years: 2}
)";

inline const std::string kStationCsv =
    "station,lon_deg,lat_deg\nG001,134.5,33.5\nG002,135.5,33.6\n";

inline v1::GreensBatch plane_batch() {
    return read_yaml(kPlaneYaml);
}

/// `text` with the one occurrence of `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << "nothing to replace: " << from;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << "twice: " << from;
    return text.replace(at, from.size(), to);
}

/// Violations as "field: message", one per line.
inline std::string lines(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) {
        text += violation.field + ": " + violation.message + "\n";
    }
    return text;
}

/// The text of the error that `call` throws; empty when there is none.
template <class Call>
std::string error_of(const Call& call) {
    try {
        (void)call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace kaname::request::examples
