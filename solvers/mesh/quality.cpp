// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {
namespace {

constexpr int kWorstListed = 10;
// Sums are taken by block, then over blocks in their order: the threads do not matter.
constexpr std::int64_t kBlock = 8192;

/// Holds the sums over one block of elements.
struct Block {
    std::array<std::int64_t, 18> angles{};
    double max_dihedral_deg = 0.0;
    std::int64_t widest = 0;
    double min_edge2 = std::numeric_limits<double>::max(), max_edge2 = 0.0;
    std::vector<double> of_material, of_volume;
    QualityReport::Sizes sizes{.min_m = std::numeric_limits<double>::max()};
    std::int64_t within_two = 0;
};

/// Bin of a ratio: below 1/4, half octaves, at least 4.
int size_bin(double ratio) {
    constexpr int kLast = QualityReport::Sizes::kBins - 1;
    const double bin = 5.0 + std::floor(2.0 * std::log2(ratio));
    return static_cast<int>(std::clamp(bin, 0.0, static_cast<double>(kLast)));
}

class Measurement {
public:
    Measurement(const TetMesh& mesh, const FaceSet& faces,
                const std::function<double(const Vec3&)>& size_m)
        : mesh_(mesh), faces_(faces), size_m_(size_m), smallest_(mesh.tets.size()) {
        report_.vertices = std::ssize(mesh.xyz);
        report_.tets = std::ssize(mesh.tets);
        report_.fault_faces = std::ssize(mesh.fault_faces);
    }

    QualityReport run() {
        if (report_.tets == 0) {
            return std::move(report_);
        }
        report_.nodes = report_.vertices + count_edges(mesh_);
        const std::int64_t n_blocks = (report_.tets + kBlock - 1) / kBlock;
        std::vector<Block> blocks(static_cast<std::size_t>(n_blocks));
#pragma omp parallel for schedule(dynamic)
        for (std::int64_t block = 0; block < n_blocks; ++block) {
            measure(block * kBlock, std::min(report_.tets, (block + 1) * kBlock), blocks[block]);
        }
        if (size_m_) {
            report_.sizes.emplace(QualityReport::Sizes{.min_m = blocks[0].sizes.min_m});
        }
        report_.min_edge_m = std::numeric_limits<double>::max();
        for (const Block& block : blocks) {
            add(block);
        }
        list_worst();
        measure_connectivity();
        return std::move(report_);
    }

private:
    [[nodiscard]] QualityReport::Element element(std::int64_t tet) const {
        const Corners at = corners_of(mesh_, static_cast<std::size_t>(tet));
        const auto angles = dihedral_angles_deg(at);
        const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
        return {tet, *low, *high, centroid_of(at)};
    }
    void measure(std::int64_t from, std::int64_t to, Block& block);
    void add(const Block& block);
    void list_worst();
    void measure_connectivity();

    const TetMesh& mesh_;
    const FaceSet& faces_;
    const std::function<double(const Vec3&)>& size_m_;
    std::vector<double> smallest_;  ///< [E] smallest angle
    QualityReport report_;
};

void add_at(std::vector<double>& sums, std::int32_t index, double value) {
    if (static_cast<std::size_t>(index) >= sums.size()) {
        sums.resize(static_cast<std::size_t>(index) + 1, 0.0);
    }
    sums[static_cast<std::size_t>(index)] += value;
}

void Measurement::measure(std::int64_t from, std::int64_t to, Block& block) {
    for (std::int64_t elem = from; elem < to; ++elem) {
        const Corners at = corners_of(mesh_, static_cast<std::size_t>(elem));
        const auto angles = dihedral_angles_deg(at);
        for (const double angle : angles) {
            ++block.angles[std::min(17, static_cast<int>(angle / 10.0))];
        }
        const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
        smallest_[elem] = *low;
        if (*high > block.max_dihedral_deg) {
            block.max_dihedral_deg = *high;
            block.widest = elem;
        }
        for (int one = 0; one < 4; ++one) {
            for (int other = one + 1; other < 4; ++other) {
                const Vec3 edge = at[other] - at[one];
                block.min_edge2 = std::min(block.min_edge2, dot(edge, edge));
                block.max_edge2 = std::max(block.max_edge2, dot(edge, edge));
            }
        }
        const double volume = volume_of(at);
        add_at(block.of_material, mesh_.material[elem], volume);
        if (!mesh_.volume.empty()) {
            add_at(block.of_volume, mesh_.volume[elem], volume);
        }
        if (size_m_) {
            const double size = regular_edge_m(volume);
            const double ratio = size / size_m_(centroid_of(at));
            ++block.sizes.histogram[size_bin(ratio)];
            block.within_two += ratio >= 0.5 && ratio <= 2.0 ? 1 : 0;
            block.sizes.min_m = std::min(block.sizes.min_m, size);
            block.sizes.max_m = std::max(block.sizes.max_m, size);
        }
    }
}

void Measurement::add(const Block& block) {
    for (std::size_t bin = 0; bin < block.angles.size(); ++bin) {
        report_.dihedral_histogram[bin] += block.angles[bin];
    }
    if (block.max_dihedral_deg > report_.max_dihedral_deg) {
        report_.max_dihedral_deg = block.max_dihedral_deg;
        report_.widest = element(block.widest);
    }
    report_.min_edge_m = std::min(report_.min_edge_m, std::sqrt(block.min_edge2));
    report_.max_edge_m = std::max(report_.max_edge_m, std::sqrt(block.max_edge2));
    for (std::size_t m = 0; m < block.of_material.size(); ++m) {
        add_at(report_.volume_per_material, static_cast<std::int32_t>(m), block.of_material[m]);
    }
    report_.volume_per_volume.resize(mesh_.volume.empty() ? 0 : mesh_.volumes.size(), 0.0);
    for (std::size_t v = 0; v < block.of_volume.size(); ++v) {
        add_at(report_.volume_per_volume, static_cast<std::int32_t>(v), block.of_volume[v]);
    }
    if (report_.sizes) {
        auto& sizes = *report_.sizes;
        for (int bin = 0; bin < QualityReport::Sizes::kBins; ++bin) {
            sizes.histogram[bin] += block.sizes.histogram[bin];
        }
        sizes.within_two +=
            static_cast<double>(block.within_two) / static_cast<double>(report_.tets);
        sizes.min_m = std::min(sizes.min_m, block.sizes.min_m);
        sizes.max_m = std::max(sizes.max_m, block.sizes.max_m);
    }
}

void Measurement::list_worst() {
    std::vector<std::int64_t> order(smallest_.size());
    for (std::size_t elem = 0; elem < order.size(); ++elem) {
        order[elem] = static_cast<std::int64_t>(elem);
    }
    const auto worse = [&](std::int64_t a, std::int64_t b) {
        return std::pair(smallest_[a], a) < std::pair(smallest_[b], b);
    };
    const auto listed = std::min<std::int64_t>(kWorstListed, report_.tets);
    std::partial_sort(order.begin(), order.begin() + listed, order.end(), worse);
    for (std::int64_t rank = 0; rank < listed; ++rank) {
        report_.worst.push_back(element(order[rank]));
    }
    report_.min_dihedral_deg = report_.worst.front().min_dihedral_deg;
    const auto permille = smallest_.begin() + report_.tets / 1000;
    std::nth_element(smallest_.begin(), permille, smallest_.end());
    report_.p001_min_dihedral_deg = *permille;
}

void Measurement::measure_connectivity() {
    std::vector<bool> marked(static_cast<std::size_t>(faces_.size()), false);
    for (const BoundaryFace& boundary : mesh_.boundary_faces) {
        if (const std::int64_t face = faces_.find(boundary.vertices); face >= 0) {
            marked[face] = true;
        }
    }
    auto& found = report_.connectivity;
    for (std::int64_t face = 0; face < faces_.size(); ++face) {
        found.open_faces += faces_.uses(face) == 1 && !marked[face] ? 1 : 0;
        found.crowded_faces += faces_.uses(face) > 2 ? 1 : 0;
        found.folded_faces += faces_.uses(face) == 2 && faces_.folded(face) ? 1 : 0;
    }
    std::vector<bool> used(mesh_.xyz.size(), false);
    for (const auto& tet : mesh_.tets) {
        for (const std::int32_t vertex : tet) {
            used[vertex] = true;
        }
    }
    found.unused_vertices = std::ranges::count(used, false);
}

}  // namespace

QualityReport measure_quality(const TetMesh& mesh, const FaceSet& faces,
                              const std::function<double(const Vec3&)>& size_m) {
    return Measurement(mesh, faces, size_m).run();
}

QualityReport measure_quality(const TetMesh& mesh,
                              const std::function<double(const Vec3&)>& size_m) {
    return measure_quality(mesh, FaceSet(mesh), size_m);
}

namespace {

constexpr int kPlacesNamed = 10;  // places named per kind of fault

using Tet = std::array<std::int32_t, 4>;
using Tri = FaceSet::Vertices;

std::string place(const Vec3& x) {
    std::ostringstream text;
    text.precision(9);
    text << '(' << x.x << ", " << x.y << ", " << x.z << ") m";
    return text.str();
}

/// Collects the first kPlacesNamed places of each kind of fault and counts the others.
class Findings {
public:
    void open(std::string field, std::string rule) {
        close();
        field_ = std::move(field);
        rule_ = std::move(rule);
    }
    void add(std::int64_t index, const std::string& where) {
        if (count_++ < kPlacesNamed) {
            violations_.push_back({field_ + "[" + std::to_string(index) + "]", rule_ + where});
        }
    }
    [[nodiscard]] bool empty() const { return violations_.empty(); }
    void throw_if_any() {
        close();
        if (!violations_.empty()) {
            throw ValidationError(std::move(violations_));
        }
    }

private:
    void close() {
        if (count_ > kPlacesNamed) {
            violations_.push_back(
                {field_, std::to_string(count_ - kPlacesNamed) + " more: " + rule_});
        }
        count_ = 0;
    }

    std::string field_;
    std::string rule_;
    std::int64_t count_ = 0;
    std::vector<Violation> violations_;
};

template <std::size_t n>
bool in_range(const std::array<std::int32_t, n>& ids, std::int64_t vertices) {
    return std::all_of(ids.begin(), ids.end(),
                       [&](std::int32_t id) { return id >= 0 && id < vertices; });
}

void check_ids(const TetMesh& mesh, int n_materials, Findings& found) {
    const std::int64_t vertices = std::ssize(mesh.xyz);
    if (mesh.tets.empty()) {
        found.open("tets", "must not be empty");
        found.add(0, "");
    }
    if (mesh.material.size() != mesh.tets.size()) {
        found.open("material",
                   "must have one entry per tet (" + std::to_string(mesh.tets.size()) + "), has ");
        found.add(0, std::to_string(mesh.material.size()));
    }
    if (!mesh.volume.empty() && mesh.volume.size() != mesh.tets.size()) {
        found.open("volume",
                   "must have one entry per tet (" + std::to_string(mesh.tets.size()) + "), has ");
        found.add(0, std::to_string(mesh.volume.size()));
    }
    found.open("xyz", "must be finite, is ");
    for (std::int64_t vertex = 0; vertex < vertices; ++vertex) {
        const Vec3& x = mesh.xyz[vertex];
        if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
            found.add(vertex, place(x));
        }
    }
    const std::string range = "vertex ids must be in 0.." + std::to_string(vertices - 1);
    const auto check = [&](const char* field, std::int64_t count, const auto& holds) {
        found.open(field, range);
        for (std::int64_t index = 0; index < count; ++index) {
            if (!holds(index)) {
                found.add(index, "");
            }
        }
    };
    check("tets", std::ssize(mesh.tets),
          [&](std::int64_t elem) { return in_range(mesh.tets[elem], vertices); });
    check("fault_faces", std::ssize(mesh.fault_faces),
          [&](std::int64_t face) { return in_range(mesh.fault_faces[face].vertices, vertices); });
    check("boundary_faces", std::ssize(mesh.boundary_faces), [&](std::int64_t face) {
        return in_range(mesh.boundary_faces[face].vertices, vertices);
    });
    const auto check_index = [&](const char* field, const std::vector<std::int32_t>& values,
                                 std::int64_t n) {
        found.open(field, "must be in 0.." + std::to_string(n - 1) + ", is ");
        for (std::int64_t elem = 0; elem < std::ssize(values); ++elem) {
            if (values[elem] < 0 || values[elem] >= n) {
                found.add(elem, std::to_string(values[elem]));
            }
        }
    };
    check_index("material", mesh.material, n_materials);
    check_index("volume", mesh.volume, std::ssize(mesh.volumes));
}

void check_volumes(const TetMesh& mesh, Findings& found) {
    found.open("tets", "volume must be > 0, is ");
    for (std::int64_t elem = 0; elem < std::ssize(mesh.tets); ++elem) {
        const auto at = corners_of(mesh, static_cast<std::size_t>(elem));
        const double volume = volume_of(at);
        if (!(volume > 0.0)) {
            std::ostringstream text;
            text << volume << " m^3 with corners " << place(at[0]) << ' ' << place(at[1]) << ' '
                 << place(at[2]) << ' ' << place(at[3]);
            found.add(elem, text.str());
        }
    }
}

void check_vertex_use(const TetMesh& mesh, Findings& found) {
    std::vector<bool> used(mesh.xyz.size(), false);
    for (const Tet& tet : mesh.tets) {
        for (const std::int32_t vertex : tet) {
            used[vertex] = true;
        }
    }
    found.open("xyz", "vertex is in no tet: ");
    for (std::int64_t vertex = 0; vertex < std::ssize(mesh.xyz); ++vertex) {
        if (!used[vertex]) {
            found.add(vertex, place(mesh.xyz[vertex]));
        }
    }
}

void check_faces(const TetMesh& mesh, const FaceSet& faces, Findings& found) {
    std::vector<bool> marked(static_cast<std::size_t>(faces.size()), false);
    const auto middle = [&](const Tri& face) {
        return place(1.0 / 3 * (mesh.xyz[face[0]] + mesh.xyz[face[1]] + mesh.xyz[face[2]]));
    };
    const auto check = [&](std::int64_t index, const Tri& vertices, int uses) {
        const std::int64_t face = faces.find(vertices);
        if (face < 0 || faces.uses(face) != uses || marked[face]) {
            found.add(index, middle(vertices));
        } else {
            marked[face] = true;
        }
    };
    found.open("boundary_faces", "is not the face of exactly one tet, or is named twice, at ");
    for (std::int64_t index = 0; index < std::ssize(mesh.boundary_faces); ++index) {
        check(index, mesh.boundary_faces[index].vertices, 1);
    }
    // Faults that touch may have faces in common; each fault names a face once.
    found.open("fault_faces", "is not the face of two tets, or is named twice by its fault, at ");
    std::set<std::pair<std::int64_t, std::int32_t>> named;  // face and fault
    for (std::int64_t index = 0; index < std::ssize(mesh.fault_faces); ++index) {
        const FaultFace& of = mesh.fault_faces[index];
        const std::int64_t face = faces.find(of.vertices);
        if (face < 0 || faces.uses(face) != 2 || !named.emplace(face, of.fault).second) {
            found.add(index, middle(of.vertices));
        } else {
            marked[face] = true;
        }
    }
    const auto check_all = [&](const char* rule, const auto& holds) {
        found.open("faces", rule);
        for (std::int64_t face = 0; face < faces.size(); ++face) {
            if (!holds(face)) {
                found.add(face, middle(faces.vertices(face)));
            }
        }
    };
    check_all("shared by more than two tets at ",
              [&](std::int64_t face) { return faces.uses(face) <= 2; });
    check_all("shared by two tets on the same side of it at ",
              [&](std::int64_t face) { return faces.uses(face) > 2 || !faces.folded(face); });
    check_all("free but no boundary face (hanging node or hole) at ",
              [&](std::int64_t face) { return faces.uses(face) != 1 || marked[face]; });
}

}  // namespace

FaceSet check_mesh(const TetMesh& mesh, int n_materials) {
    Findings found;
    check_ids(mesh, n_materials, found);
    if (!found.empty()) {  // the other checks index by these ids
        found.throw_if_any();
    }
    check_volumes(mesh, found);
    check_vertex_use(mesh, found);
    FaceSet faces(mesh);
    check_faces(mesh, faces, found);
    found.throw_if_any();
    return faces;
}

}  // namespace kaname::mesh
