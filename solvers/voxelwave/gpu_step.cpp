// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/voxelwave/gpu_step.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/element_matrices.hpp"

namespace kaname::voxelwave {
namespace {

template <class T>
std::vector<T> as(std::span<const double> values) {
    std::vector<T> of(values.size());
    std::ranges::transform(values, of.begin(), [](double value) { return static_cast<T>(value); });
    return of;
}

/// [solids][2]: lambda ds/16, G ds/16 for Walsh transforms; kappa ds, G ds for matrices; kappa ds,
/// G/kappa for integers.
std::vector<double> moduli_of(const VoxelModel& model, Variant variant) {
    std::vector<double> moduli;
    for (const Solid& solid : model.solids) {
        const double kappa = solid.bulk_modulus_pa, shear = solid.shear_modulus_pa;
        if (variant == Variant::OvfemWalsh) {
            moduli.push_back((kappa - 2.0 / 3.0 * shear) * model.ds_m / 16.0);
            moduli.push_back(shear * model.ds_m / 16.0);
        } else {
            const double per_kappa = kappa * model.ds_m, per_shear = shear * model.ds_m;
            moduli.push_back(per_kappa);
            moduli.push_back(variant == Variant::OvfemInteger ? per_shear / per_kappa : per_shear);
        }
    }
    return moduli;
}

}  // namespace

template <class T>
GpuStep<T>::GpuStep(Variant variant, const VoxelModel& model, const StepTerms& terms, int lanes,
                    int stages, device::Queue queue)
    : variant_(variant),
      stages_(stages),
      queue_(std::move(queue)),
      solid_of_(device::copied(model.solid_of, queue_)),
      moduli_(device::copied(as<T>(moduli_of(model, variant)), queue_)),
      scale_(device::copied(as<T>(terms.dt2_per_mass), queue_)) {
    if (queue_.backend() != device::Backend::Cuda) {
        throw Error(ErrorCode::InvalidArgument, "a step on a GPU needs a queue of one");
    }
    const auto nodes = model.nodes();
    args_.shape = {{nodes[0], nodes[1], nodes[2]}, lanes, padded<T>(nodes[0] * lanes, lanes)};
    if (args_.shape.component() > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorCode::InvalidArgument,
                    "a GPU takes at most 2^32 - 1 numbers of a component, got " +
                        std::to_string(args_.shape.component()));
    }
    args_.beta_per_dt = static_cast<T>(terms.beta_per_dt);
    for (int axis = 0; axis < 3; ++axis) {
        keep_[axis] = device::copied(as<T>(terms.keep[axis]), queue_);
        args_.keep[axis] = keep_[axis].data();
    }
    args_.solid_of = solid_of_.data();
    args_.moduli = moduli_.data();
    args_.scale = scale_.data();
    if (variant == Variant::OvfemWalsh) {
        tile_ = walsh_tile_of_cuda<T>(args_.shape, queue_);
        return;
    }
    const std::int64_t forces = variant == Variant::OvfemInteger
                                    ? 12 * args_.shape.voxel_rows() * args_.shape.row_length()
                                    : 24 * args_.shape.n_items();
    force_ = device::Buffer<T>(static_cast<std::size_t>(forces), queue_);
    if (variant == Variant::OvfemInteger) {
        if (sizeof(T) != sizeof(double)) {
            throw Error(ErrorCode::InvalidArgument,
                        "integers stand for double precision: precision must be double");
        }
        (void)IntegerElement(stages);  // refuses other stages
        if (3 * args_.shape.component() > std::numeric_limits<std::int32_t>::max()) {
            throw Error(ErrorCode::InvalidArgument,
                        "integers on a GPU take at most 2^31 - 1 numbers of a field, got " +
                            std::to_string(3 * args_.shape.component()));
        }
        const IntegerMatrices integers = integer_matrices();
        integers_ = device::Buffer<std::int8_t>(std::span<const std::int8_t>(integers.K), queue_);
        return;
    }
    const ElementMatrices of = variant == Variant::Vfem ? vfem_matrices() : ovfem_matrices();
    std::ranges::copy(as<T>(of.per_kappa), matrices_.per_kappa);
    std::ranges::copy(as<T>(of.per_shear), matrices_.per_shear);
}

template <class T>
void GpuStep<T>::step(const device::Buffer<T>& u, const device::Buffer<T>& before,
                      device::Buffer<T>& next) {
    args_.u = u.data();
    args_.before = before.data();
    args_.next = next.data();
    if (variant_ == Variant::OvfemWalsh) {
        walsh_tile_cuda(args_, tile_, queue_);
        return;
    }
    if constexpr (std::is_same_v<T, double>) {
        if (variant_ == Variant::OvfemInteger) {
            integer_forces_cuda(args_, integers_.data(), stages_, digit_scale(stages_),
                                force_.data(), queue_);
        }
    }
    if (variant_ != Variant::OvfemInteger) {
        matrix_forces_cuda(args_, matrices_, force_.data(), queue_);
    }
    node_update_cuda<T>(args_, force_.data(), variant_ == Variant::OvfemInteger ? 4 : 8, queue_);
}

template class GpuStep<double>;
template class GpuStep<float>;

}  // namespace kaname::voxelwave
#endif
