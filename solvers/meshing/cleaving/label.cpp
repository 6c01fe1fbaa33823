// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/label.hpp"

#include <cmath>
#include <utility>

namespace kaname::cleaving {
namespace {

constexpr double kRounding_m = 1e-6;

}  // namespace

Labels Labeller::at(const Vec3& x, SheetMask met) const {
    const VolumeSet here = layers_.at(x, met);
    Labels labels{here.volumes, ~std::uint64_t{0}, here.upper, here.lower};
    if (labels.volumes == kAirBit) {
        return labels;
    }
    for (int fault = 0; fault < faults(); ++fault) {
        const int sheet = sheets_.of_fault(fault);
        if ((met >> sheet & 1U) != 0 || !zones_[static_cast<std::size_t>(fault)].holds(x)) {
            continue;
        }
        labels.sides &=
            sheets_.above(sheet, x) > 0.0 ? ~Labels::minus(fault) : ~Labels::plus(fault);
    }
    return labels;
}

int Labeller::sheet_between(const Vec3& p, const Labels& at_p, SheetMask on_p, const Vec3& q,
                            const Labels& at_q, SheetMask on_q) const {
    const Labels common = at_p & at_q;
    if (common.volumes == 0 && (at_p.volumes == kAirBit || at_q.volumes == kAirBit)) {
        return 0;
    }
    if (const int fault = common.torn_fault(); fault >= 0) {
        return sheets_.of_fault(fault);
    }
    int best = -1;
    for (int sheet = 1; sheet < sheets_.surfaces(); ++sheet) {
        if (((on_p | on_q) >> sheet & 1U) != 0 ||
            (sheets_.above(sheet, p) > 0.0) == (sheets_.above(sheet, q) > 0.0)) {
            continue;
        }
        const Vec3 x = p + sheets_.crossing(sheet, p, q) * (q - p);
        const std::uint64_t volumes = volumes_at(x, SheetMask{1} << sheet);
        const bool parts = (volumes & (volumes - 1)) != 0;  // two volumes meet here
        if (parts && (best < 0 || sheets_.rank(sheet) < sheets_.rank(best))) {
            best = sheet;
        }
    }
    return best;
}

Complex label(Lattice lattice, const Labeller& labeller) {
    Complex complex;
    complex.xyz = std::move(lattice.xyz);
    complex.walls = std::move(lattice.walls);
    complex.tets = std::move(lattice.tets);
    complex.on.assign(complex.xyz.size(), 0);
    complex.labels.resize(complex.xyz.size());
    const earth::HeightField& ground = labeller.sheets().model().surfaces.front().height;
#pragma omp parallel for schedule(static)
    for (std::size_t v = 0; v < complex.xyz.size(); ++v) {
        Vec3& x = complex.xyz[v];
        if (ground.constant() && std::abs(x.z - ground.lowest()) < kRounding_m) {
            x.z = ground.lowest();  // the lattice ends there
        }
        complex.labels[v] = labeller.at(x, 0);
        if (complex.labels[v].volumes == kAirBit) {
            // The lattice's top is no side of the box: it may come down to the ground.
            complex.walls[v] = static_cast<Walls>(complex.walls[v] & 3U);
        }
    }
    return complex;
}

}  // namespace kaname::cleaving
