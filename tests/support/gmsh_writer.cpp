// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/gmsh_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>

#include "solvers/p2/dof_map.hpp"

namespace kaname::test {
namespace {

constexpr int kFirstSurface = 100;
constexpr int kFirstFault = 200;

struct Group {
    int dim = 0, tag = 0;
    std::string name;
    std::vector<std::vector<std::int32_t>> elements;  ///< corner vertices
};

std::vector<Group> groups_of(const mesh::TetMesh& mesh, const std::vector<std::string>& materials,
                             const GmshStyle& style) {
    std::map<std::pair<int, int>, Group> groups;
    int count = 0;
    const auto add = [&](int dim, int tag, const std::string& name,
                         std::vector<std::int32_t> vertices) {
        if ((dim == 3 ? style.turn_tets : style.turn_triangles) && count++ % 2 == 1) {
            std::swap(vertices[0], vertices[1]);
        }
        Group& group = groups[{-dim, tag}];
        group.dim = dim;
        group.tag = tag;
        group.name = name;
        group.elements.push_back(std::move(vertices));
    };
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        add(3, 1 + mesh.material[tet], materials.at(mesh.material[tet]), {v[0], v[1], v[2], v[3]});
    }
    for (const auto& [v, surface] : mesh.boundary_faces) {
        add(2, kFirstSurface + surface.index, mesh.surfaces.at(surface.index), {v[0], v[1], v[2]});
    }
    for (const auto& [v, fault] : mesh.fault_faces) {
        add(2, kFirstFault + fault, mesh.faults.at(fault), {v[0], v[1], v[2]});
    }
    std::vector<Group> result;
    for (auto& [key, group] : groups) {
        result.push_back(std::move(group));
    }
    return result;
}

class Writer {
public:
    Writer(const mesh::TetMesh& mesh, const GmshStyle& style) : dofs_(mesh), style_(style) {}

    std::string write(const std::vector<Group>& groups) {
        text_ = "$MeshFormat\n";
        text_ += style_.version == 2 ? "2.2 " : "4.1 ";
        text_ += style_.binary ? "1 8\n" : "0 8\n";
        if (style_.binary) {
            int32(1);
        }
        close("MeshFormat");
        text_ += "$PhysicalNames\n" + std::to_string(groups.size()) + "\n";
        for (const Group& group : groups) {
            text_ += std::to_string(group.dim) + " " + std::to_string(group.tag) + " \"" +
                     group.name + "\"\n";
        }
        text_ += "$EndPhysicalNames\n";
        style_.version == 2 ? write2(groups) : write4(groups);
        return std::move(text_);
    }

private:
    [[nodiscard]] std::int64_t n_nodes() const {
        return style_.second_order ? dofs_.n_nodes() : dofs_.n_vertices;
    }
    [[nodiscard]] std::int64_t tag(std::int64_t node) const {
        return style_.first_tag + node * style_.tag_step;
    }
    [[nodiscard]] Vec3 place(std::int64_t node) const {
        const Vec3& x = dofs_.node_xyz[static_cast<std::size_t>(node)];
        return node >= dofs_.n_vertices && style_.bend ? style_.bend(x) : x;
    }
    /// Gmsh's number of the element type.
    [[nodiscard]] int type(const Group& group) const {
        return group.dim == 3 ? (style_.second_order ? 11 : 4) : (style_.second_order ? 9 : 2);
    }
    [[nodiscard]] std::vector<std::int64_t> nodes(const std::vector<std::int32_t>& v) const {
        std::vector<std::int64_t> result;
        for (const std::int32_t vertex : v) {
            result.push_back(tag(vertex));
        }
        if (style_.second_order) {
            static const std::vector<std::pair<int, int>> kTet = {{0, 1}, {1, 2}, {2, 0},
                                                                  {3, 0}, {2, 3}, {1, 3}};
            static const std::vector<std::pair<int, int>> kTriangle = {{0, 1}, {1, 2}, {2, 0}};
            for (const auto& [a, b] : v.size() == 4 ? kTet : kTriangle) {
                result.push_back(tag(dofs_.edge_node(v[a], v[b])));
            }
        }
        return result;
    }

    template <class T>
    void raw(T value) {
        const auto* bytes = reinterpret_cast<const char*>(&value);
        std::string image(bytes, bytes + sizeof value);
        if (style_.swapped) {
            std::reverse(image.begin(), image.end());
        }
        text_ += image;
    }
    void int32(std::int32_t value) {
        style_.binary ? raw(value) : void(text_ += std::to_string(value) + " ");
    }
    void size(std::int64_t value) {
        style_.binary ? raw(value) : void(text_ += std::to_string(value) + " ");
    }
    void number(double value) {
        if (style_.binary) {
            raw(value);
            return;
        }
        char text[32];
        std::snprintf(text, sizeof text, "%.17g ", value);
        text_ += text;
    }
    void point(const Vec3& x) {
        number(x.x);
        number(x.y);
        number(x.z);
    }
    void end_line() { text_ += style_.binary ? "" : "\n"; }
    void close(const std::string& section) { text_ += "\n$End" + section + "\n"; }

    void write2(const std::vector<Group>& groups) {
        text_ += "$Nodes\n" + std::to_string(n_nodes()) + "\n";
        for (std::int64_t node = 0; node < n_nodes(); ++node) {
            int32(static_cast<std::int32_t>(tag(node)));
            point(place(node));
            end_line();
        }
        close("Nodes");
        std::size_t n_elements = 0;
        for (const Group& group : groups) {
            n_elements += group.elements.size();
        }
        text_ += "$Elements\n" + std::to_string(n_elements) + "\n";
        int number = 0;
        for (const Group& group : groups) {
            if (style_.binary) {
                int32(type(group));
                int32(static_cast<std::int32_t>(group.elements.size()));
                int32(2);
            }
            for (const auto& element : group.elements) {
                int32(++number);
                if (!style_.binary) {
                    int32(type(group));
                    int32(2);
                }
                int32(group.tag);
                int32(group.tag);
                for (const std::int64_t node : nodes(element)) {
                    int32(static_cast<std::int32_t>(node));
                }
                end_line();
            }
        }
        close("Elements");
    }

    void write4(const std::vector<Group>& groups) {
        text_ += "$Entities\n";
        const auto count = [&](int dim) { return std::ranges::count(groups, dim, &Group::dim); };
        for (int dim = 0; dim <= 3; ++dim) {
            size(count(dim));
        }
        end_line();
        for (int dim = 2; dim <= 3; ++dim) {
            for (const Group& group : groups) {
                if (group.dim == dim) {
                    int32(group.tag);
                    point({});
                    point({1.0, 1.0, 1.0});
                    size(1);
                    int32(group.tag);
                    size(0);
                    end_line();
                }
            }
        }
        close("Entities");
        text_ += "$Nodes\n";
        size(2);  // blocks: half of the nodes in each
        size(n_nodes());
        size(tag(0));
        size(tag(n_nodes() - 1));
        end_line();
        const std::int64_t half = n_nodes() / 2;
        for (const auto& [from, to] :
             {std::pair{std::int64_t{0}, half}, std::pair{half, n_nodes()}}) {
            int32(3);
            int32(1);
            int32(0);
            size(to - from);
            end_line();
            for (std::int64_t node = from; node < to; ++node) {
                size(tag(node));
                end_line();
            }
            for (std::int64_t node = from; node < to; ++node) {
                point(place(node));
                end_line();
            }
        }
        close("Nodes");
        std::size_t n_elements = 0;
        for (const Group& group : groups) {
            n_elements += group.elements.size();
        }
        text_ += "$Elements\n";
        size(static_cast<std::int64_t>(groups.size()));
        size(static_cast<std::int64_t>(n_elements));
        size(1);
        size(static_cast<std::int64_t>(n_elements));
        end_line();
        std::int64_t number = 0;
        for (const Group& group : groups) {
            int32(group.dim);
            int32(group.tag);
            int32(type(group));
            size(static_cast<std::int64_t>(group.elements.size()));
            end_line();
            for (const auto& element : group.elements) {
                size(++number);
                for (const std::int64_t node : nodes(element)) {
                    size(node);
                }
                end_line();
            }
        }
        close("Elements");
    }

    p2::DofMap dofs_;
    const GmshStyle& style_;
    std::string text_;
};

}  // namespace

std::string write_gmsh(const mesh::TetMesh& mesh, const std::vector<std::string>& materials,
                       const GmshStyle& style) {
    return Writer(mesh, style).write(groups_of(mesh, materials, style));
}

}  // namespace kaname::test
