// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/voxel_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/voxelwave/element_matrices.hpp"
#include "tests/bench/voxel_block.hpp"
#include "tests/bench/voxel_stepping.hpp"

namespace kaname::bench {
namespace {

using voxelwave::ElementMatrices;
using voxelwave::NodeField;
using voxelwave::Variant;
using voxelwave::VoxelModel;

/// A small block of both solids at random.
VoxelModel mixed_model() {
    VoxelModel model = rebar_block().model(0.004);
    model.voxels = {12, 10, 14};
    std::mt19937 draw(5);
    model.solid_of.resize(static_cast<std::size_t>(model.n_voxels()));
    std::ranges::generate(model.solid_of, [&] { return static_cast<std::uint16_t>(draw() % 2); });
    return model;
}

/// The elements' numbers are multiples of 1/6912, which doubles have only to rounding.
long double exact_number(double number) {
    return std::round(6912.0 * number) / 6912.0L;
}

/// K u, [nodes][3].
template <class T>
std::vector<long double> exact_product(const VoxelModel& model, const ElementMatrices& matrices,
                                       const NodeField<T>& u) {
    constexpr int kSize = ElementMatrices::kSize;
    std::vector<long double> product(static_cast<std::size_t>(3 * model.n_nodes()), 0.0L);
    std::vector<long double> per_kappa(kSize * kSize), per_shear(kSize * kSize);
    std::ranges::transform(matrices.per_kappa, per_kappa.begin(), exact_number);
    std::ranges::transform(matrices.per_shear, per_shear.begin(), exact_number);
    for (int z = 0; z < model.voxels[2]; ++z) {
        for (int y = 0; y < model.voxels[1]; ++y) {
            for (int x = 0; x < model.voxels[0]; ++x) {
                const voxelwave::Solid& solid = model.solid(x, y, z);
                for (int row = 0; row < kSize; ++row) {
                    long double sum = 0.0L;
                    for (int column = 0; column < kSize; ++column) {
                        const int at = row * kSize + column, node = column / 3;
                        sum += (solid.bulk_modulus_pa * per_kappa[at] +
                                solid.shear_modulus_pa * per_shear[at]) *
                               u.of(column % 3, x + (node & 1), y + (node >> 1 & 1),
                                    z + (node >> 2), 0);
                    }
                    const int node = row / 3;
                    product[3 * model.node(x + (node & 1), y + (node >> 1 & 1), z + (node >> 2)) +
                            row % 3] += sum * model.ds_m;
                }
            }
        }
    }
    return product;
}

struct Product {
    double error;              ///< root mean square of the error over that of K u
    long double found, exact;  ///< z in the middle of the block [N]
};

template <class T>
Product product_of(Variant variant, int stages, const device::Queue& queue) {
    const VoxelModel model = mixed_model();
    voxelwave::StepTerms terms =
        voxelwave::step_terms(model, kDt_s, {}, {}, {}, voxelwave::is_orthogonal(variant));
    std::ranges::fill(terms.keep[0], -1.0);  // from rest at 0 before: u - u - dt^2/m K u
    const std::vector<double> mass = model.masses();
    const NodeField<T> u = random_field<T>(model, 1);
    const NodeField<T> zero(model.nodes(), 1);
    VoxelStepping<T> stepping(variant, stages, model, terms, u, zero, queue);
    stepping.step();
    const NodeField<T>& next = stepping.displacement();
    const std::vector<long double> exact =
        exact_product(model,
                      voxelwave::is_orthogonal(variant) ? voxelwave::ovfem_matrices()
                                                        : voxelwave::vfem_matrices(),
                      u);
    long double error = 0.0L, size = 0.0L;
    const auto nodes = model.nodes();
    const auto found_at = [&](int c, int x, int y, int z) {
        return -static_cast<long double>(next.of(c, x, y, z, 0)) * mass[model.node(x, y, z)] /
               (kDt_s * kDt_s);
    };
    for (int z = 0; z < nodes[2]; ++z) {
        for (int y = 0; y < nodes[1]; ++y) {
            for (int x = 0; x < nodes[0]; ++x) {
                for (int c = 0; c < 3; ++c) {
                    const long double wanted = exact[3 * model.node(x, y, z) + c];
                    const long double found = found_at(c, x, y, z);
                    error += (found - wanted) * (found - wanted);
                    size += wanted * wanted;
                }
            }
        }
    }
    const int x = nodes[0] / 2, y = nodes[1] / 2, z = nodes[2] / 2;
    return {static_cast<double>(std::sqrt(error / size)), found_at(2, x, y, z),
            exact[3 * model.node(x, y, z) + 2]};
}

}  // namespace

void measure_products(const device::Queue& queue, Row row, Report& report) {
    const auto add = [&](const char* method, bool single, Variant variant, int stages) {
        const Product product = single ? product_of<float>(variant, stages, queue)
                                       : product_of<double>(variant, stages, queue);
        row.method = method;
        report.add(row, "relative_error", "1", summarize({product.error}));
        report.add(row, "component_n", "N", summarize({static_cast<double>(product.found)}));
        const long double error = std::abs(product.found / product.exact - 1.0L);
        report.add(row, "component_relative_error", "1", summarize({static_cast<double>(error)}));
        std::fprintf(stderr, "  %-18s %.20Lf N, exactly %.20Lf\n", method, product.found,
                     product.exact);
    };
    std::fprintf(stderr, "a component of K u\n");
    add("vfem", false, Variant::Vfem, 8);
    add("ovfem_dense_fp64", false, Variant::OvfemDense, 8);
    add("ovfem_dense_fp32", true, Variant::OvfemDense, 8);
    add("ovfem_walsh_fp64", false, Variant::OvfemWalsh, 8);
    add("ovfem_walsh_fp32", true, Variant::OvfemWalsh, 8);
    for (int stages = 1; stages <= 8; ++stages) {
        const std::string method = "tcovfem_int8_m" + std::to_string(stages);
        add(method.c_str(), false, Variant::OvfemInteger, stages);
    }
}

}  // namespace kaname::bench
