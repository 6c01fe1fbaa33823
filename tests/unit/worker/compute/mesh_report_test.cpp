// SPDX-License-Identifier: BSD-3-Clause
// The figures of a mesh, which the physics writes as JSON into the mesh file, as a message.
#include "worker/jobs/geometry/mesh_report.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "proto/report/report.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute::mesh_report_test {
namespace {

using nlohmann::json;

/// A report with something in every field.
jobs::MeshReport full_report() {
    jobs::MeshReport report;
    mesh::QualityReport& quality = report.quality;
    quality.vertices = 12;
    quality.tets = 30;
    quality.nodes = 60;
    quality.fault_faces = 4;
    quality.min_edge_m = 1608.5;
    quality.max_edge_m = 4e4;
    quality.min_dihedral_deg = 15.2;
    quality.p001_min_dihedral_deg = 15.7;
    quality.max_dihedral_deg = 156.3;
    quality.dihedral_histogram[3] = 360;
    quality.worst = {{7, 15.2, 134.1, {-17.5, 74.25, -41.0}}};
    quality.volume_per_material = {1e9, 2e9};
    quality.connectivity = {1, 2, 3, 4};
    quality.sizes.emplace();
    quality.sizes->histogram[2] = 5;
    quality.sizes->within_two = 0.97;
    quality.sizes->min_m = 2e3;
    quality.sizes->max_m = 5e4;
    report.volumes = {{"lid", 1e9, 1.05e9, 1e8, 1.1e8}, {"crust", 2e9}};
    fault::FaultReport& fault = report.faults.emplace_back();
    fault.name = "thrust";
    fault.faces = 4;
    fault.area_m2 = 2.5e8;
    fault.top_depth_m = 3e3;
    fault.bottom_depth_m = 9e3;
    fault.pieces = 1;
    fault.rim_m = 5e4;
    fault.split_nodes = 8;
    fault.rim_nodes = 9;
    fault.orphan_nodes = 1;
    fault.orphan = Vec3{1.5, 2.5, -3.5};
    fault.stuck_faces = 2;
    fault.stray_faces = 3;
    cleaving::InterfaceError& error = report.interfaces.emplace();
    error.all = {72, 0.1, 0.3, 0.5};
    error.suited = {60, 0.01, 0.06, std::nan("")};
    cleaving::InterfaceError::Surface& surface = error.surfaces.emplace_back();
    surface.name = "moho";
    surface.is_fault = true;
    surface.faces = 36;
    surface.mean = 0.2;
    surface.suited = {30, 0.02, 0.07, 0.1};
    surface.max_m = 123.0;
    surface.blunted_m2 = 1e6;
    surface.worst = {1.0, 2.0, -3.0};
    return report;
}

/// The value without nulls, which a report leaves out.
json without_nulls(const json& value) {
    json kept = value;
    for (auto at = kept.begin(); kept.is_structured() && at != kept.end();) {
        if (at->is_null()) {
            at = kept.erase(at);
        } else {
            *at = without_nulls(*at);
            ++at;
        }
    }
    return kept;
}

TEST(MeshReport, HasEveryFigureOfTheMeshFile) {
    earth::Material rock, sand;
    rock.name = "rock";
    sand.name = "sand";
    const std::string text =
        jobs::mesh_report_json(full_report(), std::vector<earth::Material>{rock, sand});

    const v1::MeshReport report = report_of(jobs::MeshSummary{"a mesh\n", text, 30});

    json told = json::parse(report::to_json(report));
    EXPECT_EQ(told["text"], "a mesh\n");
    for (const char* key : {"text", "written"}) {  // not of the file
        told.erase(key);
    }
    EXPECT_EQ(told, without_nulls(json::parse(text)));
}

TEST(MeshReport, OfAnotherVersionIsReadAndABrokenOneNamed) {
    const v1::MeshReport report =
        report_of(jobs::MeshSummary{"t", R"({"elements": 7, "p99": null, "new": [1]})", 7});

    EXPECT_EQ(report.elements(), 7U);
    EXPECT_FALSE(report.has_interfaces());
    try {
        (void)report_of(jobs::MeshSummary{"t", "", 0});
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what())
                        .starts_with("report of a mesh: must be a kaname.v1.MeshReport in JSON: "))
            << error.what();
    }
}

}  // namespace
}  // namespace kaname::compute::mesh_report_test
