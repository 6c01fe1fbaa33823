// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/linalg/sketch.hpp"
#include "solvers/p2/predictors/predictor.hpp"

namespace kaname::predictors {

struct ProjectionParams {
    int columns = 16;    ///< second differences kept
    int buckets = 1024;  ///< rows of the sketch, up to 1024
    double drop = 1e-6;
};

/// Start with the smallest residual in the span of earlier increments (Fischer 1998): since
/// K du(k) = f(k) - r(k) is known from the solves, a = argmin ||f - sum a_j K v_j|| needs no
/// operator application. The images K v_j are kept only as sketches S K v_j
/// (linalg::Sketch); the vectors v_j are second differences in FP32, as in DataDriven. Everything
/// stays in the queue's memory: on one rank a step reads nothing back.
class Projection final : public Predictor {
public:
    /// node_gid [nodes]: the sketch does not depend on the partition; owned as in lanes::dot.
    Projection(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned,
               const ProjectionParams& params, comm::Comm& comm, device::Queue& queue);

    void clear() override;
    void predict(device::View<double> du, device::View<const double> f,
                 device::Queue& queue) override;
    bool predict_plainly(device::View<double> /*du*/, device::Queue& /*queue*/) override {
        return false;
    }
    void push(device::View<const double> du, device::View<const double> f,
              device::View<const double> r, device::Queue& queue) override;
    void zero_lane(int lane, device::Queue& queue) override;
    [[nodiscard]] int n_known() const override;
    void known(int back, device::View<double> du, device::Queue& queue) const override;
    void exchange(StateBytes& state, device::Queue& queue) override;

private:
    [[nodiscard]] int slot(int back) const;

    ProjectionParams params_;
    linalg::Sketch sketch_;
    device::Buffer<double> newest_, before_;
    device::Buffer<double> K_newest_, K_before_;  ///< [4][buckets]
    device::Buffer<double> load_, rest_;          ///< S f of the last predict, S r: [buckets][4]
    device::Buffer<double> weights_;              ///< [2 + columns][4]
    const double* load_of_ = nullptr;             ///< the f of load_, until push; null: none
    std::vector<device::Buffer<float>> x_;        ///< ring of second differences
    std::vector<device::Buffer<double>> Kx_;      ///< each [4][buckets]
    int head_ = 0;
    int n_x_ = 0;
    int n_pushed_ = 0;
};

}  // namespace kaname::predictors
