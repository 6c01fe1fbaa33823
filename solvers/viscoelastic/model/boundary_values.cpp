// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/boundary_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/dense.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

BoundaryValues::Packed::Packed(const std::vector<std::int32_t>& list, device::Queue& queue)
    : dofs(std::span(list), queue),
      host(list.size() * kLanes),
      values(host.size(), queue),
      before(host.size(), queue) {}

BoundaryValues::BoundaryValues(const Model& model, device::Queue& queue)
    : model_(model), any_(model.boundary().has_values()) {
    if (any_) {
        fixed_ = Packed(model.boundary().fixed(), queue);
        loaded_ = Packed(model.boundary().loaded(), queue);
    }
}

void BoundaryValues::find_traction(double t_s) {
    const Scales& scales = model_.scales();
    traction_.resize(loaded_.host.size());
    model_.boundary().traction(t_s, scales.modulus_pa * scales.length_m, traction_);
}

void BoundaryValues::send_traction(device::View<double> f, device::Queue& queue) {
    device::upload<double>(loaded_.host, loaded_.values, queue);
    lanes::scatter_items<double>(loaded_.dofs, kLanes, loaded_.values, f, queue);
}

void BoundaryValues::set_traction(double t_s, device::View<double> f, device::Queue& queue) {
    find_traction(t_s);
    loaded_.host = traction_;
    send_traction(f, queue);
}

void BoundaryValues::set_traction_change(double t_s, device::View<double> f, device::Queue& queue) {
    loaded_.host = traction_;
    find_traction(t_s);
    std::ranges::transform(traction_, loaded_.host, loaded_.host.begin(), std::minus<>());
    send_traction(f, queue);
}

void BoundaryValues::set_increment(double t_s, device::View<const double> u,
                                   device::View<double> du, device::Queue& queue) {
    model_.boundary().prescribed(t_s, fixed_.host);
    device::upload<double>(fixed_.host, fixed_.values, queue);
    lanes::gather_items<double>(fixed_.dofs, kLanes, u, fixed_.before, queue);
    lanes::axpby(lanes::all_lanes(-1.0), fixed_.before, lanes::all_lanes(1.0), fixed_.values,
                 queue);
    lanes::scatter_items<double>(fixed_.dofs, kLanes, fixed_.values, du, queue);
}

using lanes::kLanes;

device::Buffer<double> point_load(const Model& model, std::span<const PointForce> forces,
                                  device::Queue& queue) {
    if (forces.size() > std::size_t{kLanes}) {
        throw Error(ErrorCode::InvalidArgument, "a pack must have at most " +
                                                    std::to_string(kLanes) + " forces, got " +
                                                    std::to_string(forces.size()));
    }
    std::vector<double> load(model.vector_size(), 0.0);
    for (std::size_t lane = 0; lane < forces.size(); ++lane) {
        const std::int32_t elem = model.local_element(forces[lane].place.tet);
        if (elem < 0) {
            continue;
        }
        const auto shape = p2::shape_tet10(forces[lane].place.barycentric);
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            const auto node = static_cast<std::size_t>(model.mesh().conn[elem][k]);
            for (int comp = 0; comp < 3; ++comp) {
                load[(node * 3 + comp) * kLanes + lane] += shape[k] * forces[lane].direction[comp];
            }
        }
    }
    return {std::span<const double>(load), queue};
}

std::vector<ElementOffset> element_offsets(const Model& model, const p2::DofMap& dofs,
                                           const fault::SplitNodes& split, const PackSlip& slip) {
    for (const auto& lane : slip) {
        if (!lane.empty() && lane.size() != split.split.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        "slip must be given at every split node: " + std::to_string(lane.size()) +
                            " for " + std::to_string(split.split.size()));
        }
    }
    std::vector<ElementOffset> offsets;
    std::int32_t last = -1;  // tet of the last offset; those of its faults add up
    for (const fault::SplitElement& element : split.elements) {
        const std::int32_t elem = model.local_element(element.tet);
        if (elem < 0) {
            continue;
        }
        if (element.tet != last) {
            offsets.push_back({elem, 0, {}});
            last = element.tet;
        }
        ElementOffset& offset = offsets.back();
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            if (element.side[k] == 0) {
                continue;
            }
            const std::int32_t at = split.index({dofs.conn[element.tet][k], element.fault});
            for (int lane = 0; lane < lanes::kLanes; ++lane) {
                for (int comp = 0; comp < 3 && !slip[lane].empty(); ++comp) {
                    offset.s[k][comp][lane] += 0.5 * element.side[k] * slip[lane][at][comp];
                }
            }
        }
    }
    std::sort(offsets.begin(), offsets.end(),
              [](const ElementOffset& a, const ElementOffset& b) { return a.elem < b.elem; });
    return offsets;
}

// Moment tensors at points.
namespace {

// The ball's radius in edges of the element that holds the place: some dozens of elements, more
// than a polynomial of degree 2 needs.
constexpr double kBallEdges = 1.5;
constexpr int kMonomials = 10;
constexpr double kLeastPivot = 1e-8;  // of a Gram matrix of so few elements that it is singular

/// Points and weights of a rule on a tetrahedron that is exact for polynomials of degree 5, the
/// weights as parts of the volume (Walkington 2000).
struct Rule {
    std::vector<std::array<double, 4>> at;  ///< barycentric
    std::vector<double> weight;
};
const Rule& degree_five() {
    static const Rule rule = [] {
        Rule made;
        for (const auto& [a, w] : {std::pair{0.3108859192633006, 0.01878132095300264},
                                   std::pair{0.09273525031089123, 0.01224884051939366}}) {
            for (std::size_t k = 0; k < 4; ++k) {
                made.at.push_back({a, a, a, a});
                made.at.back()[k] = 1.0 - 3.0 * a;
                made.weight.push_back(6.0 * w);
            }
        }
        constexpr double kA = 0.04550370412564964, kWeight = 0.007091003462846911;
        for (const auto& [i, j] : mesh::kTetEdges) {
            made.at.push_back({kA, kA, kA, kA});
            made.at.back()[static_cast<std::size_t>(i)] = 0.5 - kA;
            made.at.back()[static_cast<std::size_t>(j)] = 0.5 - kA;
            made.weight.push_back(6.0 * kWeight);
        }
        return made;
    }();
    return rule;
}

std::array<double, kMonomials> monomials(const Vec3& y) {
    return {1.0, y.x, y.y, y.z, y.x * y.x, y.y * y.y, y.z * y.z, y.y * y.z, y.x * y.z, y.x * y.y};
}

/// A density in one element, linear in the place [1/m3].
struct LinearDensity {
    std::int32_t tet;
    Vec3 middle;
    double at_middle = 0.0;
    Vec3 slope = {};
};

/// The density about a place whose integrals with polynomials of degree 2 are their values there,
/// as strains see it, which are linear in each element: the polynomial q of degree 2 with
///   sum_e int_e q p = p(place)
/// over the elements of one material whose middles are near, projected on linear functions of each.
class PointDensity {
public:
    PointDensity(const mesh::TetMesh& mesh, const p2::Location& place)
        : mesh_(mesh), place_(place.snapped) {
        const auto home = static_cast<std::size_t>(place.tet);
        radius_m_ =
            kBallEdges * mesh::regular_edge_m(mesh::volume_of(mesh::corners_of(mesh, home)));
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            const Vec3 middle = mesh::centroid_of(mesh::corners_of(mesh, tet));
            if (mesh.material[tet] == mesh.material[home] &&
                (tet == home || norm(middle - place_) < radius_m_)) {
                ball_.push_back(tet);
            }
        }
        find_polynomial();
    }

    [[nodiscard]] std::vector<LinearDensity> of_elements() const {
        std::vector<LinearDensity> densities;
        for (const std::size_t tet : ball_) {
            const mesh::Corners corners = mesh::corners_of(mesh_, tet);
            const double volume_m3 = mesh::volume_of(corners);
            std::array<double, 4> sums{};  // int q L_k
            for_points(tet, [&](const Vec3& x, const std::array<double, 4>& at, double weight) {
                for (std::size_t k = 0; k < 4; ++k) {
                    sums[k] += weight * at[k] * value(x);
                }
            });
            // The inverse of int L_k L_l = V/20 (1 + delta_kl) is 20/V (delta_kl - 1/5).
            const double all = sums[0] + sums[1] + sums[2] + sums[3];
            LinearDensity density{static_cast<std::int32_t>(tet), mesh::centroid_of(corners)};
            density.at_middle = all / volume_m3;
            const auto slopes = slopes_of(corners);
            for (std::size_t k = 0; k < 4; ++k) {
                density.slope += (20.0 / volume_m3 * (sums[k] - 0.2 * all)) * slopes[k];
            }
            densities.push_back(density);
        }
        return densities;
    }

private:
    template <class Visit>
    void for_points(std::size_t tet, const Visit& visit) const {
        const mesh::Corners corners = mesh::corners_of(mesh_, tet);
        const double volume_m3 = mesh::volume_of(corners);
        const Rule& rule = degree_five();
        for (std::size_t p = 0; p < rule.at.size(); ++p) {
            Vec3 x;
            for (std::size_t k = 0; k < 4; ++k) {
                x += rule.at[p][k] * corners[k];
            }
            visit(x, rule.at[p], volume_m3 * rule.weight[p]);
        }
    }

    void find_polynomial() {
        std::vector<double> gram(kMonomials * kMonomials, 0.0);
        for (const std::size_t tet : ball_) {
            for_points(tet, [&](const Vec3& x, const std::array<double, 4>&, double weight) {
                const auto m = monomials((1.0 / radius_m_) * (x - place_));
                for (std::size_t i = 0; i < m.size(); ++i) {
                    for (std::size_t j = 0; j < m.size(); ++j) {
                        gram[i * kMonomials + j] += weight * m[i] * m[j];
                    }
                }
            });
        }
        const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(gram, kMonomials);
        for (std::size_t k = 0; k < kMonomials; ++k) {
            if (eigen.value[k] > kLeastPivot * eigen.value.back()) {
                const double* v = eigen.vector.data() + k * kMonomials;
                for (std::size_t i = 0; i < kMonomials; ++i) {
                    q_[i] += v[0] / eigen.value[k] * v[i];
                }
            }
        }
    }

    [[nodiscard]] double value(const Vec3& x) const {
        const auto m = monomials((1.0 / radius_m_) * (x - place_));
        double sum = 0.0;
        for (std::size_t i = 0; i < m.size(); ++i) {
            sum += q_[i] * m[i];
        }
        return sum;
    }

    /// Returns the gradients of the barycentric coordinates [1/m].
    static std::array<Vec3, 4> slopes_of(const mesh::Corners& x) {
        const Vec3 a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
        const double per_det = 1.0 / dot(a, cross(b, c));
        const Vec3 first = per_det * cross(b, c), second = per_det * cross(c, a),
                   third = per_det * cross(a, b);
        return {-1.0 * (first + second + third), first, second, third};
    }

    const mesh::TetMesh& mesh_;
    Vec3 place_;
    double radius_m_ = 0.0;
    std::vector<std::size_t> ball_;
    std::array<double, kMonomials> q_{};
};

/// A symmetric tensor times a vector.
Vec3 product(const std::array<double, 6>& m, const Vec3& r) {
    return {m[0] * r.x + m[5] * r.y + m[4] * r.z, m[5] * r.x + m[1] * r.y + m[3] * r.z,
            m[4] * r.x + m[3] * r.y + m[2] * r.z};
}

/// C^-1 M [m3] of a rock that has not relaxed.
std::array<double, 6> potency_of(const std::array<double, 6>& moment_nm,
                                 const earth::Material& rock) {
    const double mean = (moment_nm[0] + moment_nm[1] + moment_nm[2]) / 3.0;
    std::array<double, 6> potency{};
    for (std::size_t k = 0; k < 6; ++k) {
        const double part = k < 3 ? mean : 0.0;
        potency[k] = (moment_nm[k] - part) / (2.0 * rock.mu_pa) + part / (3.0 * rock.kappa_pa());
    }
    return potency;
}

}  // namespace

void add_moments(const Model& model, const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                 const PackMoments& moments, std::vector<ElementOffset>& offsets) {
    std::map<std::int32_t, std::size_t> index;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        index.emplace(offsets[k].elem, k);
    }
    for (std::size_t lane = 0; lane < moments.size(); ++lane) {
        if (!moments[lane]) {
            continue;
        }
        const p2::Location place =
            p2::locate_points(mesh, std::vector<Vec3>{moments[lane]->at}).front();
        const auto rock =
            static_cast<std::size_t>(mesh.material[static_cast<std::size_t>(place.tet)]);
        const auto potency = potency_of(moments[lane]->moment_nm, model.materials().at(rock));
        for (const LinearDensity& density : PointDensity(mesh, place).of_elements()) {
            const std::int32_t elem = model.local_element(density.tet);
            if (elem < 0) {
                continue;
            }
            const auto [at, fresh] = index.try_emplace(elem, offsets.size());
            if (fresh) {
                offsets.push_back({elem, 0, {}});
            }
            ElementOffset& offset = offsets[at->second];
            offset.strains |= 1 << lane;
            for (int node = 0; node < p2::kNodesPerTet10; ++node) {
                // The displacement of strain E (a + b . r): E r (a + b . r) - (r . E r) b / 2.
                const Vec3 r = dofs.node_xyz[dofs.conn[density.tet][node]] - density.middle;
                const Vec3 strained = product(potency, r);
                const Vec3 moved = (density.at_middle + dot(density.slope, r)) * strained -
                                   (0.5 * dot(r, strained)) * density.slope;
                for (int comp = 0; comp < 3; ++comp) {
                    offset.s[node][comp][lane] -= moved[comp];
                }
            }
        }
    }
    std::ranges::sort(offsets, {}, &ElementOffset::elem);
}

}  // namespace kaname::viscoelastic
