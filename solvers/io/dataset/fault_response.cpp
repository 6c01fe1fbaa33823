// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/fault_response.hpp"

#include <algorithm>
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

constexpr const char* kGroup = "fault_response";

std::string in_response(const char* name) {
    return std::string(kGroup) + "/" + name;
}

template <std::size_t N>
std::span<const std::int32_t> flat(const std::vector<std::array<std::int32_t, N>>& rows) {
    return {reinterpret_cast<const std::int32_t*>(rows.data()), rows.size() * N};
}

[[noreturn]] void refuse_response(const std::string& path, const std::string& rule) {
    throw Error(ErrorCode::InvalidArgument, path + ": fault_response " + rule);
}

void write_mesh_around(GroupWriter& group, const mesh::TetMesh& mesh) {
    std::vector<double> xyz;
    for (const Vec3& x : mesh.xyz) {
        xyz.insert(xyz.end(), {x.x, x.y, x.z});
    }
    std::vector<std::int32_t> faces, fault;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        faces.insert(faces.end(), face.vertices.begin(), face.vertices.end());
        fault.push_back(face.fault);
    }
    group.bare_dimension("vertex", mesh.xyz.size());
    group.bare_dimension("element", mesh.tets.size());
    group.bare_dimension("face", mesh.fault_faces.size());
    group.bare_dimension("corner", 4);
    group.bare_dimension("face_corner", 3);
    group.bare_dimension("fault", mesh.faults.size());
    group.variable<double>("vertex_xyz", {"vertex", "axis"}, xyz, "m",
                           "vertices of the elements that touch the fault: x, y, z of the model");
    group.variable<std::int32_t>("elements", {"element", "corner"}, flat(mesh.tets), "1",
                                 "vertices of the elements that touch the fault");
    group.variable<std::int32_t>("element_material", {"element"}, mesh.material, "1",
                                 "index of the element's material");
    group.variable<std::int32_t>(
        "faces", {"face", "face_corner"}, faces, "1",
        "vertices of the fault's faces; the normal points to the plus side");
    group.variable<std::int32_t>("face_fault", {"face"}, fault, "1", "index of the face's fault");
    group.text("fault_name", "fault", mesh.faults, "name of a fault");
}

mesh::TetMesh read_mesh_around(const h5::File& file) {
    mesh::TetMesh mesh;
    const auto xyz = file.read<double>(in_response("vertex_xyz"), {h5::kAny, 3});
    for (std::size_t k = 0; k < xyz.size(); k += 3) {
        mesh.xyz.push_back({xyz[k], xyz[k + 1], xyz[k + 2]});
    }
    const auto tets = file.read<std::int32_t>(in_response("elements"), {h5::kAny, 4});
    for (std::size_t k = 0; k < tets.size(); k += 4) {
        mesh.tets.push_back({tets[k], tets[k + 1], tets[k + 2], tets[k + 3]});
    }
    mesh.material = file.read<std::int32_t>(in_response("element_material"), {mesh.tets.size()});
    const auto faces = file.read<std::int32_t>(in_response("faces"), {h5::kAny, 3});
    const auto fault = file.read<std::int32_t>(in_response("face_fault"), {faces.size() / 3});
    for (std::size_t k = 0; k < fault.size(); ++k) {
        mesh.fault_faces.push_back({{faces[3 * k], faces[3 * k + 1], faces[3 * k + 2]}, fault[k]});
    }
    mesh.faults = file.read_strings(in_response("fault_name"));
    const auto within = [&](std::span<const std::int32_t> indices, std::size_t n) {
        return std::ranges::all_of(indices, [n](std::int32_t index) {
            return index >= 0 && static_cast<std::size_t>(index) < n;
        });
    };
    if (!within(tets, mesh.xyz.size()) || !within(faces, mesh.xyz.size()) ||
        !within(fault, mesh.faults.size())) {
        refuse_response(file.path(),
                        "is damaged: its elements and faces must name its vertices and faults");
    }
    return mesh;
}

}  // namespace

mesh::TetMesh around_faults(const mesh::TetMesh& mesh) {
    std::vector<std::uint8_t> on_fault(mesh.xyz.size(), 0);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t vertex : face.vertices) {
            on_fault[vertex] = 1;
        }
    }
    std::vector<std::int32_t> kept(mesh.xyz.size(), -1);
    std::vector<std::size_t> tets;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& vertices = mesh.tets[tet];
        if (std::ranges::any_of(vertices, [&](std::int32_t v) { return on_fault[v] != 0; })) {
            tets.push_back(tet);
            for (const std::int32_t vertex : vertices) {
                kept[vertex] = 0;
            }
        }
    }
    mesh::TetMesh part;
    for (std::size_t vertex = 0; vertex < kept.size(); ++vertex) {
        if (kept[vertex] == 0) {
            kept[vertex] = static_cast<std::int32_t>(part.xyz.size());
            part.xyz.push_back(mesh.xyz[vertex]);
        }
    }
    const auto renumbered = [&](auto vertices) {
        for (std::int32_t& vertex : vertices) {
            vertex = kept[vertex];
        }
        return vertices;
    };
    for (const std::size_t tet : tets) {
        part.tets.push_back(renumbered(mesh.tets[tet]));
        part.material.push_back(mesh.material[tet]);
    }
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        part.fault_faces.push_back({renumbered(face.vertices), face.fault});
    }
    part.faults = mesh.faults;
    return part;
}

void write_fault_response(h5::File& file, const FaultResponse& response,
                          std::span<const double> epochs_s) {
    using Force = FaultResponse::Force;
    GroupWriter group(file, kGroup);
    const std::vector<std::string> ids = layout::column(response.forces, &Force::id);
    std::vector<double> along;
    for (const Force& force : response.forces) {
        along.insert(along.end(), force.along, force.along + 3);
    }
    group.dimension<std::string>("force", ids, {},
                                 "unit force at a station: station and direction");
    group.epochs(epochs_s, "time since slip");
    group.bare_dimension("node", static_cast<std::size_t>(response.n_nodes));
    group.bare_dimension("axis", 3);
    group.variable<std::int32_t>("force_station", {"force"},
                                 layout::column(response.forces, &Force::station), "1",
                                 "index of the force's station");
    group.variable<std::int32_t>("force_component", {"force"},
                                 layout::column(response.forces, &Force::component), "1",
                                 "0 east, 1 north, 2 up; -1 along the station's look");
    group.variable<double>("force_along", {"force", "axis"}, along, "1",
                           "direction of the force: true east, north, up");
    group.text("failure", "force", layout::column(response.forces, &Force::failure),
               "why the force failed");
    group.variable<std::int64_t>("iterations", {"force"},
                                 layout::column(response.forces, &Force::iterations), "1",
                                 "solver iterations of all solves");
    group.variable<std::int64_t>("solves", {"force"},
                                 layout::column(response.forces, &Force::solves), "1",
                                 "solves: steps or Laplace shifts, and the coseismic one");
    group.variable<double>("traction", {"force", "epoch", "node", "axis"}, response.traction,
                           "m m-1",
                           "motion along the force per slip at a node of the fault (x, y, z of the "
                           "model)",
                           {1, 1, static_cast<std::uint64_t>(response.n_nodes), 3});
    write_mesh_around(group, response.around);
}

FaultResponse read_fault_response(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    if (!file.has(kGroup)) {
        refuse_response(
            path,
            "is missing: only a dataset with solve_by receivers has it, whose fault other "
            "patches can be laid on");
    }
    FaultResponse response;
    const std::vector<std::string> ids = file.read_strings(in_response("force"));
    const std::size_t n = ids.size();
    const auto station = file.read<std::int32_t>(in_response("force_station"), {n});
    const auto component = file.read<std::int32_t>(in_response("force_component"), {n});
    const auto along = file.read<double>(in_response("force_along"), {n, 3});
    const auto failure = file.read_strings(in_response("failure"));
    const auto iterations = file.read<std::int64_t>(in_response("iterations"), {n});
    const auto solves = file.read<std::int64_t>(in_response("solves"), {n});
    if (failure.size() != n) {
        refuse_response(path, "has " + std::to_string(failure.size()) + " failures of " +
                                  std::to_string(n) + " forces");
    }
    const h5::Dims shape = file.dims(in_response("traction"));
    if (shape.size() != 4 || shape[0] != n || shape[3] != 3) {
        refuse_response(path, "must have traction with the axes force, epoch, node, axis");
    }
    response.n_nodes = static_cast<std::int64_t>(shape[2]);
    response.traction = file.read<double>(in_response("traction"));
    for (std::size_t k = 0; k < n; ++k) {
        response.forces.push_back({ids[k],
                                   station[k],
                                   component[k],
                                   {along[3 * k], along[3 * k + 1], along[3 * k + 2]},
                                   failure[k],
                                   iterations[k],
                                   solves[k]});
    }
    response.around = read_mesh_around(file);
    return response;
}

}  // namespace kaname::io
