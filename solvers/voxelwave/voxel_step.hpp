// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "solvers/voxelwave/element_matrices.hpp"
#include "solvers/voxelwave/slab.hpp"
#include "solvers/voxelwave/step_terms.hpp"
#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

/// How K u is computed.
enum class Variant {
    Vfem,         ///< trilinear, lumped mass: the conventional element, by its 24 x 24 matrix
    OvfemDense,   ///< octant indicators, by the 24 x 24 matrix
    OvfemWalsh,   ///< the same element by Walsh transforms, in one pass
    OvfemInteger  ///< the same by 8-bit integers (TCOVFEM): what tensor cores do, digit by digit
};

[[nodiscard]] constexpr bool is_orthogonal(Variant variant) {
    return variant != Variant::Vfem;
}

/// A step without forces, StepTerms.
template <class T>
class VoxelStep {
public:
    virtual ~VoxelStep() = default;
    /// `next` may not be one of the others; only these planes of it are written.
    virtual void step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
                      Planes planes) = 0;
    void step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next) {
        step(u, before, next, {0, u.nodes()[2]});
    }
};

/// `model` and `terms` outlive it. stages: 8-bit digits of OvfemInteger, 1 .. 8 (M of the paper).
/// Throws InvalidArgument for other stages, or integers in single precision.
template <class T>
[[nodiscard]] std::unique_ptr<VoxelStep<T>> make_step(Variant variant, const VoxelModel& model,
                                                      const StepTerms& terms, int lanes,
                                                      int stages = 8);

extern template std::unique_ptr<VoxelStep<double>> make_step(Variant, const VoxelModel&,
                                                             const StepTerms&, int, int);
extern template std::unique_ptr<VoxelStep<float>> make_step(Variant, const VoxelModel&,
                                                            const StepTerms&, int, int);

/// A step voxel by voxel, as matrices have it: forces of all voxels into a field, every other layer
/// at a time, and then the nodes. For the variants that are compared with.
template <class T>
class ElementStep final : public VoxelStep<T> {
public:
    /// A pack of neighbours' 24 numbers in, their forces out; kappa ds and G ds of each.
    using Element =
        std::function<void(const Pack<T> (&u)[ElementMatrices::kSize], const Pack<T>& kappa,
                           const Pack<T>& shear, Pack<T> (&f)[ElementMatrices::kSize])>;

    ElementStep(const VoxelModel& model, const StepTerms& terms, int lanes, Element element);

    using VoxelStep<T>::step;
    void step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
              Planes planes) override;

private:
    void layer(int z, const NodeField<T>& u, const NodeField<T>& before);
    void update(int z, const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next) const;

    const VoxelModel& model_;
    const StepTerms& terms_;
    int lanes_;
    Element element_;
    NodeField<T> force_;
};

/// By a 24 x 24 matrix.
template <class T>
[[nodiscard]] typename ElementStep<T>::Element matrix_element(const ElementMatrices& matrices);
/// By 8-bit integers.
[[nodiscard]] ElementStep<double>::Element integer_element(int stages);

extern template class ElementStep<double>;
extern template class ElementStep<float>;

}  // namespace kaname::voxelwave
