// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/fault_record.hpp"
#include "solvers/aderdg/fault_shapes.hpp"

namespace kaname::aderdg {

/// Friction on a rank's fault faces, from the traces that both elements of each keep over time. In
/// double precision, whatever the elements have.
class FaultPass final : public EngineFaults {
public:
    FaultPass(const EngineSetup& setup, const FaceTables& tables);

    [[nodiscard]] std::span<const FaultSides> sides() const { return sides_; }

    /// One step of face k from what both sides keep; mean slip rate over the step, plus side less
    /// minus side, as [3][face_modes(N)]. False: nothing slips, and `rate` is not written.
    bool step(std::int64_t k, double t_s, double dt_s, const double* minus, const double* plus,
              double* rate);

    [[nodiscard]] std::span<const rupture::FaultFaceShape> faces() const override {
        return friction_.faces();
    }
    [[nodiscard]] std::vector<double> kept(std::int64_t face) override {
        const std::span<const double> of = friction_.kept(face);
        return {of.begin(), of.end()};
    }
    void set_kept(std::int64_t face, std::span<const double> values) override {
        std::ranges::copy(values, friction_.kept(face).begin());
    }
    [[nodiscard]] FaultRecord& record() override { return record_; }

private:
    template <int per>
    void evaluate(const double* locked_modes, int first_point, double* values) const;

    const FaceTables& tables_;
    int modes_;
    std::vector<FaultSides> sides_;
    std::vector<FaultFaceTerms> terms_;
    rupture::FaultFaces friction_;
    FaultRecord record_;
};

}  // namespace kaname::aderdg
