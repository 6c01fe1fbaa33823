// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/p2/predictors/predictor.hpp"

namespace kaname::predictors {

/// First guess of the next increment from earlier ones, du(i) counted back from the newest:
///   previous  du(1)
///   ab2       2 du(1) - du(2)                      (Adams-Bashforth, as in Murakami et al. 2023)
///   cubic     4 du(1) - 6 du(2) + 4 du(3) - du(4)  (polynomial of degree 3 through four)
/// While fewer increments exist the polynomial through those there are is used; none gives zero.
enum class Polynomial { None, Previous, Ab2, Cubic };

class IncrementHistory final : public Predictor {
public:
    IncrementHistory(Polynomial kind, std::size_t vector_size, device::Queue& queue);

    void clear() override { count_ = 0; }
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
    Polynomial kind_;
    std::vector<device::Buffer<double>> increments_;  ///< ring
    std::size_t newest_ = 0;
    std::size_t count_ = 0;
};

}  // namespace kaname::predictors
