// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/plasticity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {
namespace {

/// Shear strength of what does not yield [Pa]; its square is finite in single precision.
constexpr double kUnbreakable = 1e18;

struct Strength {
    double cohesion_pa, sine;
};

Strength strength_of(const YieldPoint& point) {
    const double cosine = 1.0 / std::hypot(1.0, point.friction);
    return {point.cohesion_pa * cosine, point.friction * cosine};
}

double margin_of(const YieldPoint& point, double least_sine, double most_sine) {
    const double* s = point.stress_pa.data();
    const double mean = kernels::mean_stress<double>(s);
    return strength_of(point).cohesion_pa - std::max(least_sine * mean, most_sine * mean) -
           std::sqrt(kernels::shear_squared<double>(s));
}

bool is_liquid(const WaveModel& model, std::int64_t tet) {
    return model.solids[model.mesh.material[tet]].mu_pa == 0.0;
}

}  // namespace

double plasticity_bytes(std::int64_t elements, Precision precision) {
    const double number = precision == Precision::Single ? 4.0 : 8.0;
    return static_cast<double>(elements) * (YieldTerms::kSize * number + Yielded::kFields * 8.0);
}

std::vector<double> yield_terms(const WaveModel& model, const TetTopology& topology,
                                std::int64_t tet) {
    std::vector<double> terms(YieldTerms::kSize);
    const std::array<Vec3, 4> corners = corners_of(model, topology, tet);
    terms[YieldTerms::kVolume] = TetShape::of(corners).volume_m3;
    if (is_liquid(model, tet)) {
        terms[YieldTerms::kMargin] = kUnbreakable;
        return terms;
    }
    std::array<YieldPoint, 4> points;
    double least = 1.0, most = 0.0;
    for (int a = 0; a < 4; ++a) {
        points[a] = model.plasticity.at(tet, corners[a]);
        double* to = terms.data() + YieldTerms::kVertices + a * YieldTerms::kVertex;
        const Strength strength = strength_of(points[a]);
        std::ranges::copy(points[a].stress_pa, to + YieldTerms::kStress);
        to[YieldTerms::kCohesion] = strength.cohesion_pa;
        to[YieldTerms::kSine] = strength.sine;
        least = std::min(least, strength.sine);
        most = std::max(most, strength.sine);
    }
    terms[YieldTerms::kLeastSine] = least;
    terms[YieldTerms::kMostSine] = most;
    terms[YieldTerms::kPerTwoMu] = 0.5 / model.solids[model.mesh.material[tet]].mu_pa;
    double margin = kUnbreakable;
    for (const YieldPoint& point : points) {
        margin = std::min(margin, margin_of(point, least, most));
    }
    terms[YieldTerms::kMargin] = margin;
    return terms;
}

double relaxing_part(const WaveModel& model, double step_s) {
    const double relaxation_s = model.plasticity.relaxation_s;
    return relaxation_s > 0.0 ? -std::expm1(-step_s / relaxation_s) : 1.0;
}

void check_plasticity(const WaveModel& model) {
    if (model.plasticity.at == nullptr) {
        return;
    }
    const auto refuse = [](std::int64_t tet, const std::string& field, double value,
                           const char* rule) {
        char text[32];
        std::snprintf(text, sizeof text, "%.6g", value);
        throw ValidationError(
            {{"model.plasticity.at." + field,
              std::string(rule) + ", got " + text + " in tet " + std::to_string(tet)}});
    };
    parallel_for(std::ssize(model.mesh.tets), [&](std::int64_t tet) {
        for (const std::int32_t v : model.mesh.tets[tet]) {
            if (is_liquid(model, tet)) {
                continue;
            }
            const YieldPoint point = model.plasticity.at(tet, model.mesh.xyz[v]);
            if (!(point.cohesion_pa >= 0.0 && point.cohesion_pa < kUnbreakable)) {
                refuse(tet, "cohesion_pa", point.cohesion_pa, "must be 0..1e18");
            }
            if (!(point.friction >= 0.0 && std::isfinite(point.friction))) {
                refuse(tet, "friction", point.friction, "must be finite and >= 0");
            }
            for (const double s : point.stress_pa) {
                if (!std::isfinite(s)) {
                    refuse(tet, "stress_pa", s, "must be finite");
                }
            }
        }
    });
}

double yielding_volume_m3(const WaveModel& model) {
    double volume_m3 = 0.0;
    for (std::int64_t tet = 0; tet < std::ssize(model.mesh.tets) && model.plasticity.at; ++tet) {
        if (is_liquid(model, tet)) {
            continue;
        }
        const auto& v = model.mesh.tets[tet];
        const bool yields = std::ranges::any_of(v, [&](std::int32_t vertex) {
            const YieldPoint point = model.plasticity.at(tet, model.mesh.xyz[vertex]);
            const double sine = strength_of(point).sine;
            return margin_of(point, sine, sine) < 0.0;
        });
        const auto& x = model.mesh.xyz;
        volume_m3 += yields ? std::abs(det6(x[v[0]], x[v[1]], x[v[2]], x[v[3]])) / 6.0 : 0.0;
    }
    return volume_m3;
}

}  // namespace kaname::aderdg
