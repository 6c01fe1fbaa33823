// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/engine.hpp"

namespace kaname::aderdg {

/// Energy of lane 0 that has left through a rank's absorbing faces. Nothing comes in there, so that
/// the traction is -Z v*, v* = (v - t/Z)/2, and power Z |v*|^2 leaves; means over a step stand for
/// what changes within it.
class Outflow {
public:
    explicit Outflow(const EngineSetup& setup);

    struct Face {
        std::int64_t number = 0;  ///< among all absorbing faces of the model
        std::int32_t block = 0;
        int face = 0, element = 0;
        double area_m2 = 0.0;
        Vec3 normal;
        double zp = 0.0, zs = 0.0;
        double energy_j = 0.0;
    };
    /// Those of a block. Their energies may be added to by one thread for each block.
    [[nodiscard]] std::span<Face> faces(std::int32_t block) {
        return std::span(faces_).subspan(first_[block], first_[block + 1] - first_[block]);
    }
    [[nodiscard]] std::span<Face> faces() { return faces_; }
    /// A step with the mean trace value(component, mode), 6 components as in a record.
    template <class Value>
    void add(Face& face, double dt_s, const Value& value) const;

private:
    int modes_;
    std::vector<double> mass_;  ///< of a face, [modes][modes]
    std::vector<Face> faces_;   ///< by block
    std::vector<std::int32_t> first_;
};

template <class Value>
void Outflow::add(Face& face, double dt_s, const Value& value) const {
    // Normal and shear parts of v*, times sqrt(Z).
    std::vector<double> out(3 * static_cast<std::size_t>(modes_));
    const double per_zp = 1.0 / face.zp, per_zs = face.zs > 0.0 ? 1.0 / face.zs : 0.0;
    for (int k = 0; k < modes_; ++k) {
        Vec3 t, v;
        for (int d = 0; d < 3; ++d) {
            t[d] = value(d, k);
            v[d] = value(3 + d, k);
        }
        const double tn = dot(t, face.normal), vn = dot(v, face.normal);
        const Vec3 along = 0.5 * (vn - per_zp * tn) * face.normal;
        const Vec3 across = 0.5 * ((v - vn * face.normal) - per_zs * (t - tn * face.normal));
        for (int d = 0; d < 3; ++d) {
            out[d * modes_ + k] = std::sqrt(face.zp) * along[d] + std::sqrt(face.zs) * across[d];
        }
    }
    double sum = 0.0;
    for (int d = 0; d < 3; ++d) {
        for (int a = 0; a < modes_; ++a) {
            for (int b = 0; b < modes_; ++b) {
                sum += out[d * modes_ + a] * mass_[a * modes_ + b] * out[d * modes_ + b];
            }
        }
    }
    face.energy_j += dt_s * face.area_m2 * sum;
}

}  // namespace kaname::aderdg
