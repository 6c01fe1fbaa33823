// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/mesh_file.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::io {
namespace {

constexpr const char* kMeshFormat = "kaname-mesh-2";
constexpr const char* kFirstMeshFormat = "kaname-mesh-1";  // boxes with one fault, no names

/// The mesh as flat arrays, as they are stored and hashed.
struct FlatMesh {
    std::vector<double> xyz;                   ///< [V][3]
    std::vector<std::int32_t> tets;            ///< [E][4]
    std::vector<std::int32_t> material;        ///< [E]
    std::vector<std::int32_t> fault_faces;     ///< [F][3]
    std::vector<std::int32_t> boundary_faces;  ///< [B][3]
    std::vector<std::int32_t> fault_ids;       ///< [F]
    std::vector<std::int32_t> boundary_ids;    ///< [B]
};

FlatMesh flatten(const mesh::TetMesh& mesh) {
    FlatMesh flat;
    flat.xyz.reserve(3 * mesh.xyz.size());
    for (const Vec3& x : mesh.xyz) {
        flat.xyz.insert(flat.xyz.end(), {x.x, x.y, x.z});
    }
    flat.tets.reserve(4 * mesh.tets.size());
    for (const auto& tet : mesh.tets) {
        flat.tets.insert(flat.tets.end(), tet.begin(), tet.end());
    }
    flat.material = mesh.material;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        flat.fault_faces.insert(flat.fault_faces.end(), face.vertices.begin(), face.vertices.end());
        flat.fault_ids.push_back(face.fault);
    }
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        flat.boundary_faces.insert(flat.boundary_faces.end(), face.vertices.begin(),
                                   face.vertices.end());
        flat.boundary_ids.push_back(face.side.index);
    }
    return flat;
}

void check_vertices(const std::string& path, const char* name,
                    const std::vector<std::int32_t>& vertices, std::size_t n_vertices) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (vertices[i] < 0 || static_cast<std::size_t>(vertices[i]) >= n_vertices) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": '" + name + "': entry " + std::to_string(i) + " names vertex " +
                            std::to_string(vertices[i]) + ", must be in 0.." +
                            std::to_string(n_vertices) + " - 1");
        }
    }
}

void check_ids(const std::string& path, const char* name, const std::vector<std::int32_t>& ids,
               std::size_t n_names) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] < 0 || static_cast<std::size_t>(ids[i]) >= n_names) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": '" + name + "': entry " + std::to_string(i) + " is " +
                            std::to_string(ids[i]) + ", must be below " + std::to_string(n_names));
        }
    }
}

template <std::size_t Width>
std::array<std::int32_t, Width> row(const std::vector<std::int32_t>& flat, std::size_t i) {
    std::array<std::int32_t, Width> values;
    for (std::size_t k = 0; k < Width; ++k) {
        values[k] = flat[Width * i + k];
    }
    return values;
}

}  // namespace

void write_mesh(const std::string& path, const mesh::TetMesh& mesh, const MeshLabels& labels) {
    if (mesh.material.size() != mesh.tets.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": mesh has " + std::to_string(mesh.tets.size()) + " tets but " +
                        std::to_string(mesh.material.size()) + " materials");
    }
    if (!mesh.volume.empty() && mesh.volume.size() != mesh.tets.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": mesh has " + std::to_string(mesh.tets.size()) + " tets but " +
                        std::to_string(mesh.volume.size()) + " volumes");
    }
    const FlatMesh flat = flatten(mesh);
    h5::write_atomically(path, [&](h5::File& file) {
        file.set_attribute("/", "format", std::string(kMeshFormat));
        file.write<double>("xyz", flat.xyz, {mesh.xyz.size(), 3});
        file.write<std::int32_t>("tets", flat.tets, {mesh.tets.size(), 4});
        file.write<std::int32_t>("material", flat.material, {mesh.material.size()});
        file.write<std::int32_t>("fault_faces", flat.fault_faces, {mesh.fault_faces.size(), 3});
        file.write<std::int32_t>("boundary_faces", flat.boundary_faces,
                                 {mesh.boundary_faces.size(), 3});
        file.write<std::int32_t>("fault_ids", flat.fault_ids, {flat.fault_ids.size()});
        file.write<std::int32_t>("boundary_ids", flat.boundary_ids, {flat.boundary_ids.size()});
        file.write_strings("fault_names", mesh.faults);
        file.write_strings("surface_names", mesh.surfaces);
        file.set_attribute("/", "top", std::int64_t{mesh.top.index});
        if (!mesh.volume.empty()) {
            file.write<std::int32_t>("volume", mesh.volume, {mesh.volume.size()});
            file.write_strings("volume_names", mesh.volumes);
        }
        if (!labels.materials.empty()) {
            file.write_strings("material_names", labels.materials);
        }
        if (!labels.report_text.empty()) {
            const std::array<std::string, 2> report = {labels.report_text, labels.report_json};
            file.write_strings("report", report);
        }
        if (!labels.solids.empty()) {
            std::vector<double> solids;
            for (const auto& solid : labels.solids) {
                solids.insert(solids.end(), solid.begin(), solid.end());
            }
            file.write<double>("solids", solids, {labels.solids.size(), 3});
        }
    });
}

MeshLabels read_mesh_labels(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    MeshLabels labels;
    if (file.has("material_names")) {
        labels.materials = file.read_strings("material_names");
    }
    if (file.has("report")) {
        const std::vector<std::string> report = file.read_strings("report");
        if (report.size() != 2) {
            throw Error(ErrorCode::InvalidArgument, path + ": 'report' must be two texts, got " +
                                                        std::to_string(report.size()));
        }
        labels.report_text = report[0];
        labels.report_json = report[1];
    }
    if (file.has("solids")) {
        const auto solids = file.read<double>("solids", {labels.materials.size(), 3});
        for (std::size_t k = 0; k < solids.size(); k += 3) {
            labels.solids.push_back({solids[k], solids[k + 1], solids[k + 2]});
        }
    }
    return labels;
}

mesh::TetMesh read_mesh(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    const std::string format = file.string_attribute("/", "format");
    if (format != kMeshFormat && format != kFirstMeshFormat) {
        throw Error(ErrorCode::InvalidArgument, path + ": format is '" + format + "', must be '" +
                                                    kFirstMeshFormat + "' or '" + kMeshFormat +
                                                    "'");
    }
    mesh::TetMesh mesh;
    FlatMesh flat;
    flat.xyz = file.read<double>("xyz", {h5::kAny, 3});
    flat.tets = file.read<std::int32_t>("tets", {h5::kAny, 4});
    flat.material = file.read<std::int32_t>("material", {flat.tets.size() / 4});
    flat.fault_faces = file.read<std::int32_t>("fault_faces", {h5::kAny, 3});
    flat.boundary_faces = file.read<std::int32_t>("boundary_faces", {h5::kAny, 3});
    if (format == kFirstMeshFormat) {
        flat.boundary_ids =
            file.read<std::int32_t>("boundary_sides", {flat.boundary_faces.size() / 3});
        flat.fault_ids.assign(flat.fault_faces.size() / 3, 0);
    } else {
        flat.fault_ids = file.read<std::int32_t>("fault_ids", {flat.fault_faces.size() / 3});
        flat.boundary_ids =
            file.read<std::int32_t>("boundary_ids", {flat.boundary_faces.size() / 3});
        mesh.faults = file.read_strings("fault_names");
        mesh.surfaces = file.read_strings("surface_names");
        const std::vector<std::int32_t> top = {
            static_cast<std::int32_t>(file.int_attribute("/", "top"))};
        check_ids(path, "top", top, mesh.surfaces.size());
        mesh.top = mesh::SurfaceId(top[0]);
    }
    if (file.has("volume")) {
        mesh.volume = file.read<std::int32_t>("volume", {flat.material.size()});
        mesh.volumes = file.read_strings("volume_names");
        check_ids(path, "volume", mesh.volume, mesh.volumes.size());
    }
    check_ids(path, "fault_ids", flat.fault_ids, mesh.faults.size());
    check_ids(path, "boundary_ids", flat.boundary_ids, mesh.surfaces.size());
    const std::size_t n_vertices = flat.xyz.size() / 3;
    check_vertices(path, "tets", flat.tets, n_vertices);
    check_vertices(path, "fault_faces", flat.fault_faces, n_vertices);
    check_vertices(path, "boundary_faces", flat.boundary_faces, n_vertices);

    mesh.xyz.reserve(n_vertices);
    for (std::size_t vertex = 0; vertex < n_vertices; ++vertex) {
        mesh.xyz.push_back(
            {flat.xyz[3 * vertex], flat.xyz[3 * vertex + 1], flat.xyz[3 * vertex + 2]});
    }
    mesh.tets.reserve(flat.material.size());
    for (std::size_t elem = 0; elem < flat.material.size(); ++elem) {
        mesh.tets.push_back(row<4>(flat.tets, elem));
    }
    mesh.material = std::move(flat.material);
    for (std::size_t face = 0; face < flat.fault_faces.size() / 3; ++face) {
        mesh.fault_faces.push_back({row<3>(flat.fault_faces, face), flat.fault_ids[face]});
    }
    for (std::size_t face = 0; face < flat.boundary_ids.size(); ++face) {
        mesh.boundary_faces.push_back(
            {row<3>(flat.boundary_faces, face), mesh::SurfaceId(flat.boundary_ids[face])});
    }
    return mesh;
}

std::string mesh_sha256(const mesh::TetMesh& mesh) {
    const FlatMesh flat = flatten(mesh);
    Sha256 hash;
    // Each array with its name and length: moving a value from one array to the next changes it.
    const auto add = [&hash](std::string_view name, const auto& values) {
        hash.update(std::string(name) + ":" + std::to_string(values.size()) + ";");
        hash.update(std::as_bytes(std::span(values)));
    };
    add("xyz", flat.xyz);
    add("tets", flat.tets);
    add("material", flat.material);
    add("fault_faces", flat.fault_faces);
    add("boundary_faces", flat.boundary_faces);
    // A box with one fault has the hash it had before surfaces had names: its results stay known.
    const mesh::TetMesh box;
    if (mesh.faults == box.faults && mesh.surfaces == box.surfaces && mesh.top == box.top) {
        add("boundary_sides",
            std::vector<std::uint8_t>(flat.boundary_ids.begin(), flat.boundary_ids.end()));
        return hash.hex();
    }
    add("fault_ids", flat.fault_ids);
    add("boundary_ids", flat.boundary_ids);
    for (const auto* names : {&mesh.faults, &mesh.surfaces}) {
        for (const std::string& name : *names) {
            add("name", name);
        }
    }
    add("top", std::vector<std::int32_t>{mesh.top.index});
    return hash.hex();
}

}  // namespace kaname::io
