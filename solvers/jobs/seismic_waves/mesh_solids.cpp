// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/mesh_solids.hpp"

#include "solvers/base/error.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/jobs/geometry/mesh_report.hpp"
#include "solvers/jobs/geometry/quality_text.hpp"

namespace kaname::jobs {

MeshSummary write_seismic_mesh(const std::string& path, const SeismicMesh& mesh) {
    std::vector<earth::Material> materials;
    io::MeshLabels labels;
    labels.materials = mesh.materials;
    for (std::size_t k = 0; k < mesh.materials.size(); ++k) {
        const aderdg::Solid& solid = mesh.model.solids[k];
        labels.solids.push_back({solid.density_kg_m3, solid.lambda_pa, solid.mu_pa});
        earth::Material& material = materials.emplace_back();
        material.name = mesh.materials[k];
        material.density_kg_m3 = solid.density_kg_m3;
        material.lambda_pa = solid.lambda_pa;
        material.mu_pa = solid.mu_pa;
    }
    const MeshReport report = report_mesh(mesh.model.mesh, mesh::FaceSet(mesh.model.mesh));
    labels.report_text = quality_text(report, materials);
    labels.report_json = mesh_report_json(report, materials);
    for (const std::string& note : mesh.notes) {
        labels.report_text += note + "\n";
    }
    io::write_mesh(path, mesh.model.mesh, labels);
    return {labels.report_text, labels.report_json, std::ssize(mesh.model.mesh.tets)};
}

SeismicMesh read_seismic_mesh(const std::string& path, const SeismicMeshRequest& request) {
    const io::MeshLabels labels = io::read_mesh_labels(path);
    SeismicMesh mesh;
    mesh.model.mesh = io::read_mesh(path);
    if (labels.solids.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": has no solids; it must be a mesh of kaname.v1.SeismicWaves");
    }
    mesh.materials = labels.materials;
    for (const auto& [density, lambda, mu] : labels.solids) {
        mesh.model.solids.push_back({density, lambda, mu, {}});
    }
    mesh.model.surfaces = surfaces_of(request, mesh.model.mesh);
    mesh.resolution =
        measure_resolution(mesh.model, request.max_frequency_hz, request.wanted_per_wavelength());
    if (std::holds_alternative<MeshOfOnesOwn>(request.model)) {
        require_resolution(mesh.resolution, "mesh.max_frequency_hz");
    }
    if (auto note = resolution_note(mesh.resolution)) {
        mesh.notes.push_back(*std::move(note));
    }
    return mesh;
}

}  // namespace kaname::jobs
