// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/split_nodes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/fault/fault_stars.hpp"

namespace kaname::fault {
namespace {

/// Splits the nodes of one fault after the other, then the nodes that faults share.
class Splitter {
public:
    Splitter(const mesh::TetMesh& mesh, Conn10 conn10, std::span<const Vec3> node_xyz)
        : mesh_(mesh), conn10_(conn10), node_xyz_(node_xyz), tets_(tets_at_faults(mesh)) {
        std::int32_t n_faults = 0;
        for (const mesh::FaultFace& face : mesh.fault_faces) {
            n_faults = std::max(n_faults, face.fault + 1);
        }
        elements_.resize(n_faults);
    }

    SplitNodes run() {
        for (std::int32_t fault = 0; fault < std::ssize(elements_); ++fault) {
            split_alone(fault);
        }
        split_shared();
        SplitNodes result;
        std::ranges::sort(split_, {}, &Split::at);
        for (const Split& split : split_) {
            result.split.push_back(split.at);
            result.normal.push_back(split.normal);
        }
        std::ranges::sort(shared_);
        result.shared = std::move(shared_);
        for (const auto& [node, faults] : left_) {
            for (const std::int32_t fault : faults) {
                result.rim.push_back({node, fault});
            }
        }
        for (const auto& of_fault : elements_) {
            for (const auto& [tet, element] : of_fault) {
                result.elements.push_back(element);
            }
        }
        std::ranges::sort(result.elements, [](const SplitElement& a, const SplitElement& b) {
            return std::pair(a.tet, a.fault) < std::pair(b.tet, b.fault);
        });
        return result;
    }

private:
    struct Split {
        FaultNode at;
        Vec3 normal;
    };

    void split_alone(std::int32_t fault) {
        const FaultMarks marks = mark_fault(mesh_, conn10_, node_xyz_.size(), tets_, {fault});
        const Stars stars = collect_stars(marks, conn10_);
        StarWalk walk(marks, conn10_);
        for (std::size_t i = 0; i < marks.nodes.size(); ++i) {
            const std::int32_t node = marks.nodes[i];
            const auto& sides = walk.sides(stars.of(i), node_xyz_[node]);
            if (sides.empty()) {
                left_[node].push_back(fault);
            } else {
                take({node, fault}, marks, stars, i, sides);
            }
        }
    }

    /// Nodes that no fault splits alone, but several together: there one goes on as the other.
    void split_shared() {
        std::map<Faults, std::vector<std::int32_t>> nodes_of;
        for (const auto& [node, faults] : left_) {
            if (faults.size() > 1) {
                nodes_of[faults].push_back(node);
            }
        }
        for (const auto& [faults, nodes] : nodes_of) {
            const FaultMarks marks = mark_fault(mesh_, conn10_, node_xyz_.size(), tets_, faults);
            const Stars stars = collect_stars(marks, conn10_);
            StarWalk walk(marks, conn10_);
            for (const std::int32_t node : nodes) {
                const auto i = static_cast<std::size_t>(marks.slot[node]);
                const auto& sides = walk.sides_if_two(stars.of(i));
                if (sides.empty()) {
                    continue;
                }
                take({node, faults.front()}, marks, stars, i, sides);
                for (std::size_t k = 1; k < faults.size(); ++k) {
                    shared_.push_back({{node, faults[k]}, {node, faults.front()}});
                }
                left_.erase(node);
            }
        }
    }

    void take(const FaultNode& at, const FaultMarks& marks, const Stars& stars, std::size_t i,
              const std::vector<std::int8_t>& sides) {
        split_.push_back({at, normalized(marks.area[i])});
        const auto star = stars.of(i);
        for (std::size_t k = 0; k < star.size(); ++k) {
            const std::int32_t tet = marks.neighbours[star[k].neighbour].tet;
            const SplitElement none{tet, at.fault, {}};
            SplitElement& element = elements_[at.fault].try_emplace(tet, none).first->second;
            element.side[star[k].local] = sides[k];
        }
    }

    const mesh::TetMesh& mesh_;
    Conn10 conn10_;
    std::span<const Vec3> node_xyz_;
    std::vector<std::int32_t> tets_;
    std::vector<Split> split_;
    std::vector<std::pair<FaultNode, FaultNode>> shared_;
    std::map<std::int32_t, Faults> left_;  ///< nodes that do not split, and their faults
    std::vector<std::unordered_map<std::int32_t, SplitElement>> elements_;  ///< by fault and tet
};

}  // namespace

SplitNodes split_fault_nodes(const mesh::TetMesh& mesh,
                             std::span<const std::array<std::int32_t, 10>> conn10,
                             std::span<const Vec3> node_xyz) {
    if (conn10.size() != mesh.tets.size()) {
        throw Error(ErrorCode::InvalidArgument, "conn10 has " + std::to_string(conn10.size()) +
                                                    " elements, the mesh " +
                                                    std::to_string(mesh.tets.size()));
    }
    return Splitter(mesh, conn10, node_xyz).run();
}

FaultNode SplitNodes::owner(const FaultNode& at) const {
    const auto found =
        std::ranges::lower_bound(shared, at, {}, &std::pair<FaultNode, FaultNode>::first);
    return found != shared.end() && found->first == at ? found->second : at;
}

std::int32_t SplitNodes::index(const FaultNode& at) const {
    const FaultNode of = owner(at);
    const auto found = std::ranges::lower_bound(split, of);
    return found != split.end() && *found == of ? static_cast<std::int32_t>(found - split.begin())
                                                : -1;
}

std::span<const SplitElement> SplitNodes::of_tet(std::int32_t tet) const {
    const auto [first, last] = std::ranges::equal_range(elements, tet, {}, &SplitElement::tet);
    return {first, last};
}

void require_stuck(double slip_m, double largest_m, const Vec3& place) {
    if (slip_m > 1e-9 * largest_m) {
        throw Error(ErrorCode::InvalidArgument,
                    "slip must vanish on the buried rim of the fault, but it is " +
                        std::to_string(slip_m) + " m at " + place_text(place));
    }
}

std::vector<Vec3> nodal_slip(const SplitNodes& nodes, std::span<const Vec3> node_xyz,
                             const std::function<Vec3(const FaultNode& at)>& slip_at) {
    std::vector<Vec3> slip;
    slip.reserve(nodes.split.size());
    double largest = 0.0;
    for (const FaultNode& at : nodes.split) {
        slip.push_back(slip_at(at));
        largest = std::max(largest, norm(slip.back()));
    }
    for (const FaultNode& rim : nodes.rim) {
        require_stuck(norm(slip_at(rim)), largest, node_xyz[rim.node]);
    }
    return slip;
}

SplitVertices split_vertices(const mesh::TetMesh& mesh, const SplitNodes& split) {
    SplitVertices cut;
    cut.vertex.resize(mesh.xyz.size());
    std::iota(cut.vertex.begin(), cut.vertex.end(), 0);
    // A tet's corner: its vertex, and the faults on whose plus side it is.
    using Side = std::pair<std::int32_t, std::vector<std::int32_t>>;
    std::map<std::pair<std::int32_t, int>, Side> sides;  // by tet and corner
    for (const SplitElement& element : split.elements) {
        for (int k = 0; k < 4; ++k) {
            if (element.side[k] > 0) {
                Side& side = sides[{element.tet, k}];
                side.first = mesh.tets[element.tet][k];
                side.second.push_back(element.fault);
            }
        }
    }
    std::map<Side, std::int32_t> points;  // in the order of vertices
    for (const auto& [corner, side] : sides) {
        points.emplace(side, 0);
    }
    for (auto& [side, point] : points) {
        point = static_cast<std::int32_t>(cut.vertex.size());
        cut.vertex.push_back(side.first);
    }
    cut.tets = mesh.tets;
    for (const auto& [corner, side] : sides) {
        cut.tets[corner.first][corner.second] = points.at(side);
    }
    return cut;
}

namespace {

using Support = std::vector<std::int32_t>;

/// Vertices of the face, edge or vertex that a place lies on; all four inside an element.
Support support_of(const mesh::TetMesh& mesh, const p2::Location& place) {
    Support support;
    for (int k = 0; k < 4; ++k) {
        if (place.barycentric[k] > kOnFault) {
            support.push_back(mesh.tets[place.tet][k]);
        }
    }
    return support;
}

/// Plus sides less minus sides of a tet at the vertices of `support`.
int plus_of(const mesh::TetMesh& mesh, const SplitNodes& split, const Support& support,
            std::int32_t tet) {
    int plus = 0;
    for (const SplitElement& element : split.of_tet(tet)) {
        for (int k = 0; k < 4; ++k) {
            const bool held = std::ranges::find(support, mesh.tets[tet][k]) != support.end();
            plus += held ? element.side[k] : 0;
        }
    }
    return plus;
}

void move_to(const mesh::TetMesh& mesh, std::int32_t tet, p2::Location& place) {
    std::map<std::int32_t, double> weight;
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        if (place.barycentric[k] > kOnFault) {
            weight[mesh.tets[place.tet][k]] = place.barycentric[k];
            sum += place.barycentric[k];
        }
    }
    place.tet = tet;
    for (int k = 0; k < 4; ++k) {
        const auto found = weight.find(mesh.tets[tet][k]);
        place.barycentric[k] = found == weight.end() ? 0.0 : found->second / sum;
    }
}

}  // namespace

void to_plus_side(const mesh::TetMesh& mesh, const SplitNodes& split,
                  std::vector<p2::Location>& places) {
    for (p2::Location& place : places) {
        const Support support = place.tet < 0 ? Support{} : support_of(mesh, place);
        if (support.empty() || support.size() == 4 || split.of_tet(place.tet).empty()) {
            continue;
        }
        std::int32_t best = place.tet;
        int most = plus_of(mesh, split, support, best);
        std::int32_t last = -1;
        for (const SplitElement& element : split.elements) {
            const auto& tet = mesh.tets[element.tet];
            const bool holds =
                element.tet != last && std::ranges::all_of(support, [&](std::int32_t vertex) {
                    return std::ranges::find(tet, vertex) != tet.end();
                });
            last = element.tet;
            if (!holds) {
                continue;
            }
            const int plus = plus_of(mesh, split, support, element.tet);
            if (plus > most || (plus == most && element.tet < best)) {
                best = element.tet;
                most = plus;
            }
        }
        move_to(mesh, best, place);
    }
}

}  // namespace kaname::fault
