// SPDX-License-Identifier: BSD-3-Clause
#include "proto/kaname/v1/inversion.pb.h"
#include "proto/request/greens/stations.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "proto/request/inversion/observations.hpp"
#include "solvers/earth/depth_profile.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/material_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/fault/slip_table.hpp"
#include "solvers/mesh/gmsh/gmsh_mesh.hpp"
#include "tests/fuzz/target_groups.hpp"
#include "worker/jobs/geometry/side_values.hpp"
#include "worker/jobs/rupture/fault_table.hpp"

namespace kaname::fuzz {
namespace {

void msh(std::string_view bytes) {
    (void)mesh::parse_gmsh(bytes, "input");
}

void observations(std::string_view bytes, const char* kind) {
    v1::Observations set;
    set.set_kind(kind);
    set.set_sigma_east_m(0.01);
    set.mutable_file()->set_path(as_file(bytes, "observations.csv"));
    (void)request::read_observations(set, "data[0]", false);
    (void)request::read_observations(set, "data[0]", true);
}
void gnss(std::string_view bytes) {
    observations(bytes, "gnss");
}
void insar(std::string_view bytes) {
    observations(bytes, "insar");
}
void covariance(std::string_view bytes) {
    (void)request::read_covariance(as_file(bytes, "covariance.csv"), 3);
}
void inverted_slip(std::string_view bytes) {
    (void)request::read_slip_csv(as_file(bytes, "slip.csv"));
}
void stations(std::string_view bytes) {
    (void)request::read_station_csv(as_file(bytes, "stations.csv"));
}

void grid(std::string_view bytes) {
    (void)earth::read_surface_file(as_file(bytes, "grid.csv"), {});
}
void earth_columns(std::string_view bytes) {
    const auto columns = earth::read_earth_columns(as_file(bytes, "earth.csv"), "upper_crust");
    (void)columns.with_layer(columns.nearest({12.0, 44.0}).cell);
}
/// A table of speeds under each of its names; layers made of it.
void depth_profile(std::string_view bytes, const char* name) {
    const earth::DepthProfile profile = earth::read_depth_profile(as_file(bytes, name));
    (void)profile.mean(0.0, 30e3);
    (void)earth::cut_profile(profile, 0.0, 100e3, 20);
}
void profile_nd(std::string_view bytes) {
    depth_profile(bytes, "earth.nd");
}
void profile_tvel(std::string_view bytes) {
    depth_profile(bytes, "earth.tvel");
}
void profile_csv(std::string_view bytes) {
    depth_profile(bytes, "earth.csv");
}

void boundary_table(std::string_view bytes) {
    jobs::PrescribedSide data;
    data.given[0] = data.given[2] = true;
    data.path = as_file(bytes, "side.csv");
    (void)jobs::read_boundary_table(data);
}
void fault_table(std::string_view bytes) {
    const jobs::FaultTable table = jobs::FaultTable::read(as_file(bytes, "fault.csv"));
    (void)table.covers(50.0, 50.0, 1.0);
}
void slip_table(std::string_view bytes) {
    (void)fault::read_slip_table(as_file(bytes, "slip.csv"));
}

template <const char* kName>
void slip_model(std::string_view bytes) {
    (void)slip_model::read_slip_model(as_file(bytes, kName));
}
constexpr char kCsv[] = "slip.csv", kFsp[] = "slip.fsp", kParam[] = "slip.param",
               kGmt[] = "slip.gmt", kFlt[] = "slip.flt", kRupt[] = "slip.rupt", kSrf[] = "slip.srf";

const std::vector<const char*> kCsvWords = {",", "\"", "\n", "#", ";", "nan", "\t", "-", "\r\n"};

}  // namespace

std::vector<Target> table_targets() {
    return {
        {"msh", msh, {}, {"$Nodes\n", "$EndNodes\n", "$Elements\n", "$Periodic\n", " ", "\n"}},
        {"gnss", gnss, {}, kCsvWords},
        {"insar", insar, {}, kCsvWords},
        {"covariance", covariance, {}, kCsvWords},
        {"inverted_slip", inverted_slip, {}, kCsvWords},
        {"stations", stations, {"docs/examples/nankai/stations.csv"}, kCsvWords},
        {"grid", grid, {}, kCsvWords},
        {"earth_columns", earth_columns, {}, kCsvWords},
        {"profile_nd", profile_nd, {}, {"moho\n", "mantle\n", " ", "\n", "#"}},
        {"profile_tvel", profile_tvel, {}, {" ", "\n"}},
        {"profile_csv", profile_csv, {}, kCsvWords},
        {"boundary_table", boundary_table, {}, kCsvWords},
        {"fault_table", fault_table, {}, kCsvWords},
        {"slip_table", slip_table, {}, kCsvWords},
        {"slip_csv", slip_model<kCsv>, {}, kCsvWords},
        {"slip_srcmod",
         slip_model<kFsp>,
         {"tests/data/slip_scenarios/samos2020_okuwaki.fsp"},
         {"%", ":", "="}},
        {"slip_usgs",
         slip_model<kParam>,
         {"tests/data/slip_scenarios/antofagasta1995_usgs.param"},
         {"#", "="}},
        {"slip_csi", slip_model<kGmt>, {}, {"> -Z", "#", " ", "\n"}},
        {"slip_relax", slip_model<kFlt>, {}, {"#", "(km)", "(cm)", "(m)", " ", "\n"}},
        {"slip_mudpy", slip_model<kRupt>, {}, {"\t", ",", "#", "\n"}},
        {"slip_srf", slip_model<kSrf>, {}, {"PLANE ", "POINTS ", "2.0\n", " ", "\n", "#"}},
    };
}

}  // namespace kaname::fuzz
