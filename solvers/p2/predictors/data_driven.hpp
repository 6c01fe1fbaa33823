// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/linalg/halo_sum.hpp"
#include "solvers/p2/predictors/predictor.hpp"
#include "solvers/p2/predictors/region_fit.hpp"

namespace kaname::predictors {

struct DataDrivenParams {
    int columns = 16;  ///< s: pairs of history that are fitted, up to 16
    int rows = 96;     ///< m: rows of the random compression, from s to 256
    double drop = 1e-4;
    bool wait_for_all = false;  ///< fits from step s + 5 on, as published; else with fewer columns
    bool with_fallback = true;  ///< offers the cubic as a second guess
};

/// Data-driven predictor (Murakami et al. 2023, section 3.1 and 4.1), per subdomain and source:
///   x(k) = du(k) - 2 du(k-1) + du(k-2),   Y = [x(i-1) .. x(i-s)],   X = [x(i-2) .. x(i-s-1)]
///   a = argmin ||Q (X a - x(i-1))||,      du = 2 du(i-1) - du(i-2) + Y a
/// Q: m rows of random signs, one matrix for all subdomains. History in FP32, Q x kept from step
/// to step. Before there is enough history: the polynomial through what there is. History,
/// compressed columns and coefficients stay in the queue's memory (region_fit.hpp).
class DataDriven final : public Predictor {
public:
    /// `halo` (of the nodes) outlives this. Throws InvalidArgument for a shape that cannot be
    /// fitted.
    DataDriven(const Subdomains& subdomains, const DataDrivenParams& params,
               std::size_t vector_size, comm::Halo& halo, device::Queue& queue);

    void clear() override;
    void predict(device::View<double> du, device::View<const double> f,
                 device::Queue& queue) override;
    bool predict_plainly(device::View<double> du, device::Queue& queue) override;
    void push(device::View<const double> du, device::View<const double> f,
              device::View<const double> r, device::Queue& queue) override;
    void zero_lane(int lane, device::Queue& queue) override;
    [[nodiscard]] int n_known() const override;
    void known(int back, device::View<double> du, device::Queue& queue) const override;
    void exchange(StateBytes& state, device::Queue& queue) override;

private:
    void extrapolate(int n_x, device::View<double> du, device::Queue& queue) const;
    [[nodiscard]] int usable_columns() const;
    [[nodiscard]] int slot(int back) const;

    DataDrivenParams params_;
    RegionLists regions_;
    linalg::HaloSum halo_;
    device::Buffer<float> Q_;         ///< [largest subdomain's dofs][m]
    device::Buffer<double> partial_;  ///< of a compression, while it runs
    device::Buffer<double> newest_, before_;
    device::Buffer<double> fit_;             ///< [subdomains][columns][4]
    std::vector<device::Buffer<float>> x_;   ///< ring of s + 1
    std::vector<device::Buffer<float>> Qx_;  ///< ring, each [subdomains][m][4]
    int head_ = 0;                           ///< slot of the newest x
    int n_x_ = 0;
    int n_pushed_ = 0;
};

}  // namespace kaname::predictors
