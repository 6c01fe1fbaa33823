// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/mesh_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/json.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/io/export/mesh_export.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::jobs {
namespace {

void add_point(JsonWriter& json, const char* name, const Vec3& x) {
    json.key(name).begin_array().value(x.x).value(x.y).value(x.z).end_array();
}

template <class Range>
void add_numbers(JsonWriter& json, const char* name, const Range& numbers) {
    json.key(name).begin_array();
    for (const auto number : numbers) {
        json.value(number);
    }
    json.end_array();
}

void add_quality(JsonWriter& json, const mesh::QualityReport& quality) {
    json.member("vertices", quality.vertices).member("elements", quality.tets);
    json.member("nodes", quality.nodes).member("dof", quality.dof());
    json.member("fault_faces", quality.fault_faces);
    json.member("min_edge_m", quality.min_edge_m).member("max_edge_m", quality.max_edge_m);
    json.member("min_dihedral_deg", quality.min_dihedral_deg);
    json.member("p001_min_dihedral_deg", quality.p001_min_dihedral_deg);
    json.member("max_dihedral_deg", quality.max_dihedral_deg);
    add_numbers(json, "dihedral_histogram_10deg", quality.dihedral_histogram);
    json.key("worst").begin_array();
    for (const auto& element : quality.worst) {
        json.begin_object().member("element", element.tet);
        json.member("min_dihedral_deg", element.min_dihedral_deg);
        json.member("max_dihedral_deg", element.max_dihedral_deg);
        add_point(json, "centroid_m", element.centroid);
        json.end_object();
    }
    json.end_array();
    const auto& found = quality.connectivity;
    json.member("watertight", found.watertight()).member("open_faces", found.open_faces);
    json.member("crowded_faces", found.crowded_faces);
    json.member("folded_faces", found.folded_faces);
    json.member("unused_vertices", found.unused_vertices);
    if (quality.sizes) {
        json.member("within_two_of_size", quality.sizes->within_two);
        json.member("min_size_m", quality.sizes->min_m).member("max_size_m", quality.sizes->max_m);
        add_numbers(json, "size_ratio_histogram_half_octaves", quality.sizes->histogram);
    }
}

void add_fault_object(JsonWriter& json, const fault::FaultReport& fault) {
    json.begin_object().member("name", fault.name).member("faces", fault.faces);
    json.member("area_m2", fault.area_m2).member("fault_top_depth_m", fault.top_depth_m);
    json.member("bottom_depth_m", fault.bottom_depth_m).member("pieces", fault.pieces);
    json.member("rim_m", fault.rim_m).member("split_nodes", fault.split_nodes);
    json.member("rim_nodes", fault.rim_nodes).member("orphan_nodes", fault.orphan_nodes);
    if (fault.orphan) {
        add_point(json, "orphan_m", *fault.orphan);
    }
    json.member("stuck_faces", fault.stuck_faces);
    json.member("stray_faces", fault.stray_faces).end_object();
}

void add_interface_errors(JsonWriter& json, const cleaving::InterfaceError& error) {
    const auto add = [&](const cleaving::InterfaceError::Summary& of) {
        json.member("faces", of.faces).member("mean", of.mean);
        json.member("p99", of.p99).member("max", of.max);
    };
    const auto add_suited = [&](const cleaving::InterfaceError::Summary& of) {
        json.key("suited").begin_object();
        add(of);
        json.end_object();
    };
    json.key("interfaces").begin_object();
    add(error.all);
    add_suited(error.suited);
    json.key("surfaces").begin_array();
    for (const auto& surface : error.surfaces) {
        json.begin_object().member("name", surface.name).member("is_fault", surface.is_fault);
        add(surface);
        add_suited(surface.suited);
        json.member("max_m", surface.max_m);
        if (surface.is_fault) {
            json.member("blunted_m2", surface.blunted_m2);
        }
        add_point(json, "worst_m", surface.worst);
        json.end_object();
    }
    json.end_array().end_object();
}

}  // namespace

MeshReport report_mesh(const mesh::TetMesh& mesh, const mesh::FaceSet& faces,
                       const cleaving::VolumeMeshParams* request) {
    MeshReport report;
    if (request == nullptr) {
        report.quality = mesh::measure_quality(mesh, faces);
    } else {
        const cleaving::SizeField sizes(request->sizes, request->box, request->model);
        const meshing::BoxFrame frame(request->box.azimuth_rad);
        report.quality = mesh::measure_quality(mesh, faces, [&](const Vec3& x) {
            return sizes.at({frame.b(x.x, x.y), frame.a(x.x, x.y), x.z});
        });
        report.interfaces = cleaving::measure_interface_error(
            mesh, *request->model, request->faults, request->box.azimuth_rad, &sizes);
    }
    for (std::size_t k = 0; k < report.quality.volume_per_volume.size(); ++k) {
        report.volumes.push_back({mesh.volumes[k], report.quality.volume_per_volume[k]});
    }
    if (request != nullptr) {
        const std::vector<double> model_m3 = earth::volumes_m3(*request->model);
        const std::vector<cleaving::LayerKept> near =
            cleaving::layers_kept(*request, mesh, cleaving::kNearFault_m);
        for (std::size_t k = 0; k < report.volumes.size(); ++k) {
            report.volumes[k].model_m3 = model_m3.at(k);
            report.volumes[k].near_model_m3 = near.at(k).model_m3;
            report.volumes[k].near_mesh_m3 = near.at(k).left_m3;
        }
    }
    for (fault::FaultReport& fault : fault::report_faults(mesh)) {
        if (fault.faces > 0) {
            report.faults.push_back(std::move(fault));
        }
    }
    return report;
}

std::string mesh_report_json(const MeshReport& report, std::span<const earth::Material> materials) {
    JsonWriter json;
    json.begin_object();
    add_quality(json, report.quality);
    json.key("materials").begin_array();
    for (std::size_t m = 0; m < report.quality.volume_per_material.size(); ++m) {
        json.begin_object().member("name", materials[m].name);
        json.member("volume_m3", report.quality.volume_per_material[m]).end_object();
    }
    json.end_array();
    json.key("volumes").begin_array();
    for (const MeshReport::Volume& volume : report.volumes) {
        json.begin_object().member("name", volume.name).member("mesh_m3", volume.mesh_m3);
        if (volume.model_m3 > 0.0) {
            json.member("model_m3", volume.model_m3);
            json.member("near_fault_mesh_m3", volume.near_mesh_m3);
            json.member("near_fault_model_m3", volume.near_model_m3);
        }
        json.end_object();
    }
    json.end_array();
    json.key("faults").begin_array();
    for (const fault::FaultReport& fault : report.faults) {
        add_fault_object(json, fault);
    }
    json.end_array();
    if (report.interfaces) {
        add_interface_errors(json, *report.interfaces);
    }
    return json.end_object().text();
}

namespace {

int count_materials(const mesh::TetMesh& mesh) {
    return mesh.material.empty() ? 0 : 1 + std::ranges::max(mesh.material);
}

/// "material_3" for those that the file has no name of.
std::vector<std::string> material_names(const std::string& path, const mesh::TetMesh& mesh) {
    std::vector<std::string> names = io::read_mesh_labels(path).materials;
    for (int m = static_cast<int>(names.size()); m < count_materials(mesh); ++m) {
        names.push_back("material_" + std::to_string(m));
    }
    return names;
}

void check_faults(const mesh::TetMesh& mesh, MeshCheck& result) {
    try {
        for (const fault::FaultReport& fault : fault::report_faults(mesh)) {
            const auto add = [&](std::int64_t count, const char* what, const Vec3& at) {
                char text[192];
                std::snprintf(text, sizeof text, "%lld %s, one at (%.3f, %.3f, %.3f) m",
                              static_cast<long long>(count), what, at.x, at.y, at.z);
                result.faults.push_back({"fault '" + fault.name + "'", text});
            };
            if (fault.orphan) {
                add(fault.orphan_nodes, "nodes inside it cannot slip", *fault.orphan);
            }
            if (fault.stray) {
                add(fault.stray_faces, "faces are apart from the rest of it, in small pieces",
                    *fault.stray);
            }
        }
    } catch (const Error& error) {
        result.faults.push_back({"fault", error.what()});
    }
}

}  // namespace

MeshSummary describe_mesh(const std::string& path) {
    const io::MeshLabels labels = io::read_mesh_labels(path);
    if (!labels.report_text.empty()) {
        return {labels.report_text, labels.report_json};
    }
    const mesh::TetMesh mesh = io::read_mesh(path);
    std::vector<earth::Material> materials;
    for (std::string& name : material_names(path, mesh)) {
        materials.emplace_back().name = std::move(name);
    }
    const MeshReport report = report_mesh(mesh, mesh::FaceSet(mesh));
    return {quality_text(report, materials), mesh_report_json(report, materials)};
}

MeshCheck check_mesh_at(const std::string& path) {
    const mesh::TetMesh mesh = io::read_mesh(path);
    MeshCheck result;
    result.elements = std::ssize(mesh.tets);
    try {
        mesh::check_mesh(mesh, count_materials(mesh));
        check_faults(mesh, result);
    } catch (const ValidationError& error) {
        result.faults = error.violations();
    }
    return result;
}

std::vector<std::string> export_mesh(const std::string& path, const std::string& format,
                                     const std::string& out) {
    if (format == "xdmf") {
        return {io::write_mesh_xdmf(path)};
    }
    const mesh::TetMesh mesh = io::read_mesh(path);
    const std::vector<std::string> materials = material_names(path, mesh);
    if (format == "vtu") {
        return io::write_vtu(out, mesh, materials);
    }
    if (format != "gmsh") {
        throw Error(ErrorCode::InvalidArgument,
                    "format must be gmsh, vtu or xdmf, got '" + format + "'");
    }
    io::write_gmsh41(out, mesh, materials);
    return {out};
}

}  // namespace kaname::jobs
