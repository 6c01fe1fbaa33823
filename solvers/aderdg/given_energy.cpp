// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/given_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/aderdg/element_energy.hpp"
#include "solvers/aderdg/rank_gather.hpp"

namespace kaname::aderdg {
namespace {

/// int |s| dt of the run, by the midpoint rule.
double impulse_s(const BlockSource& source, double end_s) {
    constexpr int kParts = 256;
    const double from_s = std::max(0.0, source.from_s), until_s = std::min(end_s, source.until_s);
    double sum = 0.0;
    for (int k = 0; k < kParts && until_s > from_s; ++k) {
        sum += std::abs(source.rate(from_s + (k + 0.5) / kParts * (until_s - from_s)));
    }
    return sum * std::max(0.0, until_s - from_s) / kParts;
}

/// Energy of what a source with the rate 1 adds to its element in a second [J/s2].
double energy_of_rate(const BlockSource& source, const EnergyWeights& weights,
                      std::span<const double> mass) {
    const std::vector<double>& shape = source.shape;
    double square = 0.0;  // int (sum_k shape_k B_k)^2 over a tet of volume 1
    for (std::size_t i = 0; i < shape.size(); ++i) {
        for (std::size_t j = 0; j < shape.size(); ++j) {
            square += shape[i] * mass[i * shape.size() + j] * shape[j];
        }
    }
    const auto& a = source.amount;
    std::array<double, Squares::kFields> squares{};
    squares[Squares::kNormal] = square * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    squares[Squares::kShear] = square * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
    squares[Squares::kTrace] = square * (a[0] + a[1] + a[2]) * (a[0] + a[1] + a[2]);
    squares[Squares::kVelocity] = square * (a[6] * a[6] + a[7] * a[7] + a[8] * a[8]);
    const ElementEnergy energy = weights.energy(squares.data(), 1);
    return energy.kinetic_j + energy.elastic_j;
}

/// tau^2 A^(3/2)/mu of faults with friction [J]: their whole shear traction relieved over their
/// area, with the slip of a crack of that size.
double energy_of_faults(const WaveModel& model) {
    if (model.fault.laws.empty()) {
        return 0.0;
    }
    double area_m2 = 0.0, traction_pa = 0.0;
    for (const mesh::FaultFace& face : model.mesh.fault_faces) {
        const Vec3 &a = model.mesh.xyz[face.vertices[0]], &b = model.mesh.xyz[face.vertices[1]],
                   &c = model.mesh.xyz[face.vertices[2]];
        const Vec3 across = cross(b - a, c - a);
        const Vec3 normal = (1.0 / norm(across)) * across;
        area_m2 += 0.5 * norm(across);
        const rupture::FaultPoint point =
            model.fault.at({static_cast<int>(face.fault), (1.0 / 3.0) * (a + b + c), normal});
        const Vec3 traction = point.traction_pa + point.nucleation_pa;
        const Vec3 shear = traction - dot(traction, normal) * normal;
        traction_pa = std::max(traction_pa, norm(shear));
    }
    double mu_pa = std::numeric_limits<double>::infinity();
    for (const Solid& solid : model.solids) {
        mu_pa = solid.mu_pa > 0.0 ? std::min(mu_pa, solid.mu_pa) : mu_pa;
    }
    return traction_pa * traction_pa * std::pow(area_m2, 1.5) / mu_pa;
}

}  // namespace

std::vector<double> given_energies_j(const WaveModel& model, const TetTopology& topology,
                                     const Layout& layout, std::span<const BlockSource> own,
                                     const WaveParams& params, comm::Comm& comm) {
    // ||q||^2 = 2 E grows by no more than a source's own norm: ||q|| <= sum_s ||g_s|| int |s| dt.
    const std::vector<double> mass = mass_matrix(params.order - 1);
    std::map<std::int64_t, std::size_t> places;
    std::vector<double> rows;  // source, lane, energy of its rate, impulse
    for (const BlockSource& source : own) {
        const std::int64_t tet =
            layout.tets[std::int64_t(source.block) * layout.per_block + source.element];
        const EnergyWeights weights =
            EnergyWeights::of(model.solids[model.mesh.material[tet]],
                              TetShape::of(corners_of(model, topology, tet)).volume_m3);
        const auto [at, fresh] = places.try_emplace(source.source, rows.size());
        if (fresh) {
            rows.insert(rows.end(),
                        {static_cast<double>(source.source), static_cast<double>(source.lane), 0.0,
                         impulse_s(source, params.end_s)});
        }
        rows[at->second + 2] += energy_of_rate(source, weights, mass);
    }
    std::map<std::int64_t, std::array<double, 3>> sources;  // lane, energy, impulse
    for (const std::vector<double>& of_rank :
         gather_all<double>(comm, std::span<const double>(rows))) {
        for (std::size_t k = 0; k < of_rank.size(); k += 4) {
            auto& source = sources[static_cast<std::int64_t>(of_rank[k])];
            source = {of_rank[k + 1], source[1] + of_rank[k + 2], of_rank[k + 3]};
        }
    }
    std::vector<double> norms(params.lanes);
    for (const auto& [number, source] : sources) {
        norms[static_cast<std::size_t>(source[0])] += std::sqrt(2.0 * source[1]) * source[2];
    }
    const double of_faults = std::sqrt(2.0 * energy_of_faults(model));
    std::vector<double> given_j;
    for (const double norm : norms) {
        given_j.push_back(0.5 * (norm + of_faults) * (norm + of_faults));
    }
    return given_j;
}

}  // namespace kaname::aderdg
