// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/mesh_tools.hpp"

#include <algorithm>
#include <cstdio>

#include "solvers/io/export/mesh_export.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/jobs/geometry/mesh_report.hpp"
#include "solvers/jobs/geometry/quality_text.hpp"

namespace kaname::jobs {
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
