// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Prescribed displacements and tractions of a model in the memory of a queue. Their functions of
/// place and time are the host's: per step the values of the sides that have some travel there,
/// packed, with one wait for each copy; nothing comes back.
class BoundaryValues {
public:
    /// `model` outlives this. Nothing is kept for a model whose sides are free or fixed.
    BoundaryValues(const Model& model, device::Queue& queue);

    /// False: there are none, and nothing below may be called. The same on every rank.
    [[nodiscard]] bool any() const { return any_; }
    /// f [N][3][4] at loaded degrees of freedom = this rank's tractions at time t, in units of
    /// Scales; nothing is written elsewhere.
    void set_traction(double t_s, device::View<double> f, device::Queue& queue);
    /// Sets f at loaded degrees of freedom to the change of these tractions since the last call of
    /// this or of set_traction; nothing is written elsewhere.
    void set_traction_change(double t_s, device::View<double> f, device::Queue& queue);
    /// du [N][3][4] at fixed degrees of freedom = prescribed displacement at time t less u; nothing
    /// is written elsewhere.
    void set_increment(double t_s, device::View<const double> u, device::View<double> du,
                       device::Queue& queue);

private:
    /// Values of listed degrees of freedom [dofs][4].
    struct Packed {
        Packed() = default;
        Packed(const std::vector<std::int32_t>& list, device::Queue& queue);
        device::Buffer<std::int32_t> dofs;
        std::vector<double> host;
        device::Buffer<double> values, before;
    };

    void find_traction(double t_s);
    void send_traction(device::View<double> f, device::Queue& queue);

    const Model& model_;
    bool any_;
    Packed fixed_, loaded_;
    std::vector<double> traction_;  ///< [loaded][4] of the last call
};

}  // namespace kaname::viscoelastic
