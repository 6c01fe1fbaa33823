// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/voxel_waveforms.hpp"

#include <cmath>
#include <cstdio>

#include "tests/bench/voxel_records.hpp"

namespace kaname::bench {
namespace {

using voxelwave::Variant;

/// Coarsest first: VFEM's rows, and those of OVFEM that the reference is extrapolated from.
struct Plan {
    std::vector<Grid> rows;
    Grid coarse, fine;
};

Plan plan_of(Size size) {
    switch (size) {
        case Size::Small:
            return {{{6, 5e-8}, {8, 5e-8}, {10, 5e-8}}, {12, 5e-8}, {16, 5e-8}};
        case Size::Medium:
            return {{{6, 5e-8}, {8, 5e-8}, {9, 5e-8}, {10, 5e-8}, {11, 5e-8}, {12, 5e-8}},
                    {16, 5e-8},
                    {24, 2.5e-8}};
        default:
            return {{{6, 5e-8}, {8, 2.5e-8}, {9, 2.5e-8}, {10, 2.5e-8}, {11, 2.5e-8}, {12, 2.5e-8}},
                    {16, 2.5e-8},
                    {24, 1.25e-8}};
    }
}

/// Where errors fall to `wanted`: log ds over log error between the two rows around it, or beyond
/// the last two on that side.
double side_at(double wanted, const std::vector<double>& sides_m,
               const std::vector<double>& errors) {
    std::size_t k = 1;
    while (k + 1 < errors.size() && errors[k] > wanted) {
        ++k;
    }
    const double share = std::log(wanted / errors[k - 1]) / std::log(errors[k] / errors[k - 1]);
    return sides_m[k - 1] * std::pow(sides_m[k] / sides_m[k - 1], share);
}

}  // namespace

void measure_waveforms(Size size, const device::Queue& queue, double seconds_ratio, Row row,
                       Report& report) {
    const VoxelBlock block = waveform_block(size);
    const Plan plan = plan_of(size);
    const std::size_t channels = 3 * block.receivers_m.size();
    const auto run = [&](const Grid& grid, Variant variant, bool single) {
        std::fprintf(stderr, "waveforms of voxels of %.4g mm\n", 1e3 * grid.ds_m());
        return single ? waveforms<float>(block, grid, variant, queue)
                      : waveforms<double>(block, grid, variant, queue);
    };
    const Record coarse = run(plan.coarse, Variant::OvfemWalsh, true);
    const Record fine = run(plan.fine, Variant::OvfemWalsh, true);
    const Record reference = extrapolated(coarse, plan.coarse, fine, plan.fine);
    const auto add = [&](const char* method, const Grid& grid, const Record& record) {
        char name[32];
        std::snprintf(name, sizeof name, "waveforms-%.4gmm", 1e3 * grid.ds_m());
        row.model = name;
        row.method = method;
        row.dof = 3 * block.model(grid.ds_m()).n_nodes();
        const double error = error_of(record, reference, channels);
        report.add(row, "relative_error", "1", summarize({error}));
        save(report);
        return error;
    };
    const Grid& first = plan.rows.front();
    const double wanted = add("ovfem_walsh_fp64", first, run(first, Variant::OvfemWalsh, false));
    for (const Grid& grid : {first, plan.rows.back()}) {
        add("ovfem_walsh_fp32", grid, run(grid, Variant::OvfemWalsh, true));
    }
    add("ovfem_walsh_fp32", plan.coarse, coarse);
    add("ovfem_walsh_fp32", plan.fine, fine);
    add("vfem_fp32", first, run(first, Variant::Vfem, true));
    std::vector<double> sides_m, errors;
    std::vector<Record> records;
    for (const Grid& grid : plan.rows) {
        // Rounding of single precision is far below these errors: the two rows of the first.
        const bool single = grid.per_12mm != first.per_12mm;
        records.push_back(run(grid, Variant::Vfem, single));
        sides_m.push_back(grid.ds_m());
        errors.push_back(add("vfem", grid, records.back()));
    }
    const Grid &second = plan.rows[1], &last = plan.rows.back();
    add("vfem_extrapolated", last, extrapolated(records[1], second, records.back(), last));

    const double equal_m = side_at(wanted, sides_m, errors);
    row.model = "waveforms-2mm";
    row.method = "vfem";
    row.dof = 3 * block.model(first.ds_m()).n_nodes();
    report.add(row, "equal_accuracy_side", "m", summarize({equal_m}));
    // As many voxels more as the third power of their side, and shorter steps in proportion to it.
    row.method = "ovfem_walsh_fp64";
    const double work = std::pow(first.ds_m() / equal_m, 4);
    report.add(row, "equal_accuracy_ratio", "1", summarize({work * seconds_ratio}));
    save(report);
}

}  // namespace kaname::bench
