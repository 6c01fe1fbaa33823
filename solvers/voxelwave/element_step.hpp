// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "solvers/voxelwave/element_matrices.hpp"
#include "solvers/voxelwave/integer_element.hpp"
#include "solvers/voxelwave/voxel_step.hpp"

namespace kaname::voxelwave {

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
